public import DuramenModel

/// Why a model file cannot be read, written or used.
public struct ModelFileError: Error, Sendable, Hashable {
    /// The kind of an error. The set is open: compare with `==` and keep a default branch.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file or folder does not exist, or does not contain a model.
        public static let notFound = Code(rawValue: "notFound")
        /// The system does not let the file be read or written.
        public static let io = Code(rawValue: "io")
        /// A file of a model is not a regular file, or a link leads out of its bundle.
        public static let unsafeFile = Code(rawValue: "unsafeFile")
        /// The file is in the format of Xcode before 4.3.
        public static let oldFormat = Code(rawValue: "oldFormat")
        /// The file is not well-formed XML, or uses parts of XML that model files do not.
        public static let malformed = Code(rawValue: "malformed")
        /// An element lacks a required part, or has a value without a meaning.
        public static let invalidContent = Code(rawValue: "invalidContent")
        /// The file exceeds a limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The model is read, but cannot be used or turned into code.
        public static let unusable = Code(rawValue: "unusable")
    }

    /// The kind.
    public let code: Code
    /// The file or folder; nil for text that came from elsewhere.
    public let path: String?
    /// Where in the file, when it is one place.
    public let place: SourcePlace?
    /// A description of the problem and its remedy.
    public let message: String

    /// Describes an error.
    public init(_ code: Code, path: String? = nil, place: SourcePlace? = nil, _ message: String) {
        self.code = code
        self.path = path
        self.place = place
        self.message = message
    }

    /// The same error, of a file.
    func of(_ path: String?) -> ModelFileError {
        ModelFileError(code, path: path ?? self.path, place: place, message)
    }
}

extension ModelFileError: DescribedError {
    /// One line in a compiler's form, so that tools can jump from a build log to the place.
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
