public import DuramenModel

/// An error that says why a model file cannot be read, written or used.
public struct ModelFileError: Error, Sendable, Hashable {
    /// The kind of an error. The set is open: compare with `==` and keep a default branch.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file or folder does not exist, or does not contain a model.
        public static let notFound = Code(rawValue: "notFound")
        /// The system does not permit reading or writing the file.
        public static let io = Code(rawValue: "io")
        /// A file of a model is not a regular file, or a link points outside of its bundle.
        public static let unsafeFile = Code(rawValue: "unsafeFile")
        /// The file has the format of Xcode before 4.3.
        public static let oldFormat = Code(rawValue: "oldFormat")
        /// The file is not well-formed XML, or uses features of XML that model files do not have.
        public static let malformed = Code(rawValue: "malformed")
        /// An element lacks a required part, or has an invalid value.
        public static let invalidContent = Code(rawValue: "invalidContent")
        /// The file exceeds a limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The model was read, but cannot be used or turned into code.
        public static let unusable = Code(rawValue: "unusable")
    }

    /// The kind of the error.
    public let code: Code
    /// The path of the file or folder; nil for text from another source.
    public let path: String?
    /// The position in the file; nil if there is none.
    public let place: SourcePlace?
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, path: String? = nil, place: SourcePlace? = nil, _ message: String) {
        self.code = code
        self.path = path
        self.place = place
        self.message = message
    }

    /// Returns this error with the path of a file.
    func of(_ path: String?) -> ModelFileError {
        ModelFileError(code, path: path ?? self.path, place: place, message)
    }
}

extension ModelFileError: DescribedError {
    /// The error as one compiler message, so that tools can jump from a build log to the position.
    public var description: String {
        let location = [path, place.flatMap { $0.line > 0 ? "\($0.line):\($0.column)" : nil }]
            .compactMap(\.self)
        return (location + [" error: \(message) [\(code.rawValue)]"]).joined(separator: ":")
            .trimmingLeadingSpace
    }
}

extension String {
    fileprivate var trimmingLeadingSpace: String { hasPrefix(" ") ? String(dropFirst()) : self }
}
