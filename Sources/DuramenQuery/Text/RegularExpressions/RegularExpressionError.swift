public import DuramenModel

/// An error that describes why a pattern is not a valid ``RegularExpression``.
public struct RegularExpressionError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The syntax of the pattern is wrong.
        public static let invalidPattern = Code(rawValue: "invalidPattern")
        /// The pattern has a part that is not supported, or cannot be matched in linear time.
        public static let unsupportedPattern = Code(rawValue: "unsupportedPattern")
        /// The pattern is too long, nested too deeply or has too many repetitions.
        public static let patternTooComplex = Code(rawValue: "patternTooComplex")
    }

    /// The kind of the error.
    public let code: Code
    /// The position of the error, in Unicode scalars from the pattern's beginning.
    public let offset: Int
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension RegularExpressionError: DescribedError {
    /// The message, the code and the position in one line.
    public var description: String { "\(message) [\(code.rawValue), at \(offset)]" }
}
