/// An error that says why an archive cannot be read, or a value cannot be archived.
public struct ArchiveError: Error, Hashable {
    /// A kind of archive error. More codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The stable spelling.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not a keyed archive.
        public static let notAnArchive = Code(rawValue: "notAnArchive")
        /// The bytes begin like a keyed archive, but are inconsistent or cut off.
        public static let damaged = Code(rawValue: "damaged")
        /// The archive has an object of a class that is not allowed.
        public static let classNotAllowed = Code(rawValue: "classNotAllowed")
        /// The archive, or the value to archive, exceeds a limit.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The value does not have the requested type, or its type cannot be archived.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
    }

    /// The kind of error.
    public let code: Code
    /// The problem as the end of a sentence. It names classes and types, but never quotes values.
    public let problem: String

    /// Creates an error.
    public init(_ code: Code, _ problem: String) {
        self.code = code
        self.problem = problem
    }

    static func damaged(_ problem: String) -> ArchiveError { ArchiveError(.damaged, problem) }
}

extension ArchiveError: CustomStringConvertible {
    /// The problem with its code.
    public var description: String { "The archive \(problem). (\(code.rawValue))" }
}
