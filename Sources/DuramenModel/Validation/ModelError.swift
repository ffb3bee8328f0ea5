/// Everything that is wrong with a model, each mistake with its entity and property.
public struct ModelError: Error, Sendable, Hashable {
    /// The kind of a mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, a heading in `docs/errors.md`.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A name is empty, too long, or has characters that no store can hold.
        public static let invalidName = Code(rawValue: "invalidName")
        /// Two entities, properties or indexes share a name.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// A superentity or destination is not in the model.
        public static let unknownEntity = Code(rawValue: "unknownEntity")
        /// A constraint, index or inverse names a property that is not there.
        public static let unknownProperty = Code(rawValue: "unknownProperty")
        /// An entity is its own ancestor.
        public static let inheritanceCycle = Code(rawValue: "inheritanceCycle")
        /// The two sides of a relationship do not fit together, or one is missing.
        public static let invalidInverse = Code(rawValue: "invalidInverse")
        /// A default value is not of the attribute's type, or out of its range.
        public static let invalidDefault = Code(rawValue: "invalidDefault")
        /// A rule over values does not fit the attribute, or no value can fulfil it.
        public static let invalidRule = Code(rawValue: "invalidRule")
        /// A derived attribute cannot be computed from what it names.
        public static let invalidDerivation = Code(rawValue: "invalidDerivation")
        /// The condition or the order of a fetched property does not fit what it fetches.
        public static let invalidFetchedProperty = Code(rawValue: "invalidFetchedProperty")
        /// A composite, or an element of one, is what it cannot be.
        public static let invalidComposite = Code(rawValue: "invalidComposite")
        /// A transformable attribute names no type, or one name is used for two types.
        public static let invalidCodableType = Code(rawValue: "invalidCodableType")
        /// The minimum and the maximum count of a relationship do not fit together, or a to-one has
        /// counts or an order.
        public static let invalidCount = Code(rawValue: "invalidCount")
        /// A uniqueness constraint or index cannot be kept.
        public static let invalidConstraint = Code(rawValue: "invalidConstraint")
        /// A configuration lacks what its entities need.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The model uses a feature that this version of the library does not support.
        public static let unsupported = Code(rawValue: "unsupported")
        /// An entity has more properties, or a model more entities, than rows can number.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Data is not an archived model, is damaged, or is of a later version.
        public static let invalidArchive = Code(rawValue: "invalidArchive")
        /// A managed class and its entity differ.
        public static let classMismatch = Code(rawValue: "classMismatch")
    }

    /// One mistake.
    public struct Mistake: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the mistake.
        public let code: Code
        /// The entity's name, or that of the configuration.
        public let entity: String
        /// The property's, constraint's or index's name, where it applies.
        public let property: String?
        /// A description of the problem and its remedy.
        public let message: String

        /// Describes a mistake.
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

    /// All mistakes, in the order in which the model lists entities; never empty.
    public let mistakes: [Mistake]

    /// Collects mistakes.
    public init(mistakes: [Mistake]) { self.mistakes = mistakes }
}

extension ModelError: DescribedError {
    /// One line per mistake.
    public var description: String {
        "The model has \(mistakes.count) mistake\(mistakes.count == 1 ? "" : "s"):\n"
            + mistakes.map { "  \($0)" }.joined(separator: "\n")
    }
}
