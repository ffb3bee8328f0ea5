public import DuramenModel

/// An error that says why a predicate or sort order does not fit an entity.
public struct FetchPredicateError: Error, Sendable, Hashable {
    /// The kind of the error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key path names a property that the entity does not have.
        public static let unknownProperty = Code(rawValue: "unknownProperty")
        /// A key path continues after an attribute, or goes through a to-many without a quantifier.
        public static let invalidKeyPath = Code(rawValue: "invalidKeyPath")
        /// The two sides of a comparison cannot be compared.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// A variable has no value.
        public static let missingVariable = Code(rawValue: "missingVariable")
        /// A regular expression is invalid.
        public static let invalidPattern = Code(rawValue: "invalidPattern")
        /// The predicate is nested more than 128 deep, has more than 10 000 nodes, or has a path or
        /// list that is too long.
        public static let tooComplex = Code(rawValue: "tooComplex")
        /// A column of a result has no name, shares its name with another, or has several values.
        public static let invalidColumn = Code(rawValue: "invalidColumn")
        /// A grouped result has a value that differs within a group.
        public static let notGrouped = Code(rawValue: "notGrouped")
        /// An aggregate is used where it is not permitted, or is missing where it is required.
        public static let invalidAggregate = Code(rawValue: "invalidAggregate")
    }

    /// The kind of the error.
    public let code: Code
    /// The entity's name.
    public let entity: String
    /// A description of the problem and its remedy.
    public let message: String

    /// Creates an error.
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
