public import DuramenModel

/// Why a predicate or sort order does not fit an entity.
public struct FetchPredicateError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key path names a property that the entity has not.
        public static let unknownProperty = Code(rawValue: "unknownProperty")
        /// A key path goes through an attribute, or through a to-many without a quantifier.
        public static let invalidKeyPath = Code(rawValue: "invalidKeyPath")
        /// The two sides of a comparison do not compare.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// A variable has no value.
        public static let missingVariable = Code(rawValue: "missingVariable")
        /// A regular expression is wrong.
        public static let invalidPattern = Code(rawValue: "invalidPattern")
        /// The predicate is nested more than 128 deep or has more than 10 000 nodes.
        public static let tooComplex = Code(rawValue: "tooComplex")
        /// A column of a result has no name, shares its name with another, or has several values.
        public static let invalidColumn = Code(rawValue: "invalidColumn")
        /// A result of groups asks for what differs within a group.
        public static let notGrouped = Code(rawValue: "notGrouped")
        /// An aggregate is used where it has no meaning, or is missing where one is needed.
        public static let invalidAggregate = Code(rawValue: "invalidAggregate")
    }

    /// The kind of the error.
    public let code: Code
    /// The entity's name.
    public let entity: String
    /// A description of the problem and its remedy.
    public let message: String

    /// Describes an error.
    public init(_ code: Code, entity: String, _ message: String) {
        self.code = code
        self.entity = entity
        self.message = message
    }
}

extension FetchPredicateError: DescribedError {
    /// The entity and the message in one line.
    public var description: String { "\(entity): \(message) [\(code.rawValue)]" }
}
