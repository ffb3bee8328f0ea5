public import DuramenModel

/// An error that describes why a pattern is not a valid ``RegularExpression``.
public struct RegularExpressionError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The pattern breaks the syntax.
        public static let invalidPattern = Code(rawValue: "invalidPattern")
        /// The pattern asks for what cannot be matched in linear time, or is not offered.
        public static let unsupportedPattern = Code(rawValue: "unsupportedPattern")
        /// The pattern is longer, more deeply nested or repeats more than is allowed.
        public static let patternTooComplex = Code(rawValue: "patternTooComplex")
    }

    /// The kind of the error.
    public let code: Code
    /// Where in the pattern it is, in Unicode scalars from the pattern's beginning.
    public let offset: Int
    /// A description of the problem and its remedy.
    public let message: String

    /// Describes an error.
    public init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension RegularExpressionError: DescribedError {
    /// The message, the place and the code in one line.
    public var description: String { "\(message) [\(code.rawValue), at \(offset)]" }
}
