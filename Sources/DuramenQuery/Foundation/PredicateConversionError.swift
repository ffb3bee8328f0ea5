public import DuramenModel

/// Why a predicate or a sort descriptor of Foundation has no counterpart here.
public struct PredicateConversionError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A kind of expression that no store can be asked, or not of what it is asked of here.
        public static let unsupportedExpression = Code(rawValue: "unsupportedExpression")
        /// A captured value is of a type that no attribute has.
        public static let unsupportedValue = Code(rawValue: "unsupportedValue")
        /// A Swift key path is not a managed property, or has several steps where only one is
        /// allowed.
        public static let unsupportedKeyPath = Code(rawValue: "unsupportedKeyPath")
        /// A sort descriptor orders text in a way that stores do not know.
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

    /// Describes an error.
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
