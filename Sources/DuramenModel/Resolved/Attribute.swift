/// An attribute of a resolved model.
public struct Attribute: Sendable, Hashable {
    /// The property's name; of an element of a composite, the path to it: `epicentre.latitude`.
    public let name: String
    /// The type of the values.
    public let type: AttributeType
    /// Whether null may be saved. Any element of a composite that may be nil as a whole may be
    /// null.
    public let isOptional: Bool
    /// The value of a new object, of the attribute's type; null for none.
    public let defaultValue: StoredValue
    /// Where rows hold the value.
    public let slot: Int
    /// How rows hold the value.
    public let kind: SlotKind
    /// The entity that declares the attribute.
    public let declaringEntity: EntityID
    /// Whether stores may keep large values in files of their own.
    public let allowsExternalBinaryDataStorage: Bool
    /// Whether the value shall be kept in the history when its object is deleted.
    public let preservesValueInHistoryOnDeletion: Bool
    /// Whether the values are left out wherever values may be shown.
    public let isConfidential: Bool
    /// The expression from which stores compute the value, or nil for an attribute that the
    /// application sets.
    public let derivation: DerivationExpression?
    /// The Swift type of a transformable attribute's values; nil for other attributes.
    public let codableType: CodableType?
    /// The name of the transformer that the model has for the values; nil for none.
    public let valueTransformerName: String?
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]
    /// The rules that values must fulfil when they are saved.
    public let rules: AttributeRules
}
