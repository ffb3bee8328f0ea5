/// The description of one attribute, as you write it in a model.
///
/// ```swift
/// AttributeDescription("magnitude", .double, default: .double(0))
/// ```
public struct AttributeDescription: Sendable, Hashable {
    /// The property's name, unique within the entity and its ancestors.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// Whether null may be saved.
    public var isOptional: Bool
    /// The value of a new object; null for none.
    public var defaultValue: StoredValue
    /// Whether the attribute is never stored. Its value lasts until the object becomes a fault.
    /// Queries, constraints and indexes cannot name it.
    public var isTransient: Bool
    /// Whether stores may keep large binary values in separate files, beside the rows. It is part
    /// of the version hash. Constraints and indexes cannot name such an attribute.
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether the value is kept in the history when its object is deleted. Values that may be in a
    /// separate file are not kept.
    public var preservesValueInHistoryOnDeletion: Bool
    /// Whether the values are secrets. They are left out of the log of statements, of predicates
    /// described for an entity, and of everything else that may show values. Errors never show
    /// values.
    public var isConfidential: Bool
    /// The elements of a composite attribute; empty for all other attributes.
    public var elements: [AttributeDescription] = []
    /// The Swift type of a transformable attribute's values; nil for other attributes.
    public var codableType: CodableType?
    /// The name of the transformer that encodes a transformable attribute's values, as in a Core
    /// Data model; nil for JSON. It is not part of the version hash. See ``ValueTransformers``.
    public var valueTransformerName: String?
    /// The name in an earlier version of the model, for migration.
    public var renamingIdentifier: String?
    /// Text that is mixed into the version hash, to distinguish versions that are otherwise equal.
    public var versionHashModifier: String?
    /// Notes of the application. They are not part of the version hash.
    public var userInfo: [String: String]
    /// The expression from which stores compute the value, or nil for an attribute that the
    /// application sets. See ``DerivationExpression``.
    public var derivationExpression: String?
    /// The rules that values must fulfil when they are saved. They are not part of the version
    /// hash.
    public var rules = AttributeRules()

    /// Describes an attribute.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false,
        default defaultValue: StoredValue = .null, isTransient: Bool = false,
        allowsExternalBinaryDataStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false, isConfidential: Bool = false,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.isConfidential = isConfidential
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
