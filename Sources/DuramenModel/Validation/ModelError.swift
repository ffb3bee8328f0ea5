/// An error with all mistakes in a model, each with its entity and property.
public struct ModelError: Error, Sendable, Hashable {
    /// The kind of a mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Creates a code with the given spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A name is empty, too long, or has characters that stores cannot keep.
        public static let invalidName = Code(rawValue: "invalidName")
        /// Two entities, properties or indexes share a name.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// A superentity or destination is not in the model.
        public static let unknownEntity = Code(rawValue: "unknownEntity")
        /// A constraint, index or inverse names a property that does not exist.
        public static let unknownProperty = Code(rawValue: "unknownProperty")
        /// An entity is its own ancestor.
        public static let inheritanceCycle = Code(rawValue: "inheritanceCycle")
        /// The two sides of a relationship do not match, or one is missing.
        public static let invalidInverse = Code(rawValue: "invalidInverse")
        /// A default value does not have the attribute's type, or is out of its range.
        public static let invalidDefault = Code(rawValue: "invalidDefault")
        /// A rule for values does not fit the attribute, or no value can meet it.
        public static let invalidRule = Code(rawValue: "invalidRule")
        /// The expression of a derived attribute cannot be computed.
        public static let invalidDerivation = Code(rawValue: "invalidDerivation")
        /// The condition or the order of a fetched property does not fit its destination.
        public static let invalidFetchedProperty = Code(rawValue: "invalidFetchedProperty")
        /// A composite or one of its elements has a setting that it cannot have.
        public static let invalidComposite = Code(rawValue: "invalidComposite")
        /// A transformable attribute has no registered type, or one name is used for two types.
        public static let invalidCodableType = Code(rawValue: "invalidCodableType")
        /// The minimum and the maximum count of a relationship contradict each other, or a to-one
        /// has counts or an order.
        public static let invalidCount = Code(rawValue: "invalidCount")
        /// Stores cannot keep a uniqueness constraint or index.
        public static let invalidConstraint = Code(rawValue: "invalidConstraint")
        /// A configuration lacks entities that its entities need.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The model uses a feature that this version of the library does not support.
        public static let unsupported = Code(rawValue: "unsupported")
        /// An entity has more properties, or a model more entities, than rows can number.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The data is not an archived model, is damaged, or comes from a later version.
        public static let invalidArchive = Code(rawValue: "invalidArchive")
        /// A managed class does not match its entity.
        public static let classMismatch = Code(rawValue: "classMismatch")
    }

    /// One mistake in a model.
    public struct Mistake: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the mistake.
        public let code: Code
        /// The name of the entity or configuration.
        public let entity: String
        /// The name of the property, constraint or index; nil if the mistake is about the entity.
        public let property: String?
        /// A description of the problem and its remedy.
        public let message: String

        /// Creates a mistake.
        public init(_ code: Code, entity: String, property: String? = nil, _ message: String) {
            self.code = code
            self.entity = entity
            self.property = property
            self.message = message
        }

        /// The place and the message in one line.
        public var description: String {
            "\(entity)\(property.map { ".\($0)" } ?? ""): \(message) [\(code.rawValue)]"
        }
    }

    /// All mistakes, in the order of the model's entities; never empty.
    public let mistakes: [Mistake]

    /// Creates an error from mistakes.
    public init(mistakes: [Mistake]) { self.mistakes = mistakes }
}

extension ModelError: DescribedError {
    /// The number of mistakes, and one line for each.
    public var description: String {
        "The model has \(mistakes.count) mistake\(mistakes.count == 1 ? "" : "s"):\n"
            + mistakes.map { "  \($0)" }.joined(separator: "\n")
    }
}
