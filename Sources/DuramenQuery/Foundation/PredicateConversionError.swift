public import DuramenModel

/// An error that says why a Foundation predicate or sort descriptor cannot be converted.
public struct PredicateConversionError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Stores cannot evaluate this kind of expression, or not on this kind of value.
        public static let unsupportedExpression = Code(rawValue: "unsupportedExpression")
        /// A captured value has a type that attributes cannot have.
        public static let unsupportedValue = Code(rawValue: "unsupportedValue")
        /// A Swift key path is not a managed property, or has several steps where only one is
        /// permitted.
        public static let unsupportedKeyPath = Code(rawValue: "unsupportedKeyPath")
        /// A sort descriptor orders text in a way that stores do not support.
        public static let unsupportedComparator = Code(rawValue: "unsupportedComparator")
        /// The predicate is too deep, or has too many parts.
        public static let tooComplex = Code(rawValue: "tooComplex")
    }

    /// The kind of the error.
    public let code: Code
    /// Foundation's name of the expression, such as `CollectionRangeSubscript`.
    public let node: String
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, node: String, _ message: String) {
        self.code = code
        self.node = node
        self.message = message
    }
}

extension PredicateConversionError: DescribedError {
    /// The expression and the message in one line.
    public var description: String { "\(node): \(message) [\(code.rawValue)]" }
}
