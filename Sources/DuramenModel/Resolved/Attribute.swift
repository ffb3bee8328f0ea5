/// An attribute of a resolved model.
public struct Attribute: Sendable, Hashable {
    /// The property's name. The name of an element of a composite is its path:
    /// `epicentre.latitude`.
    public let name: String
    /// The type of the values.
    public let type: AttributeType
    /// Whether null may be saved. True for every element of a composite that is optional, or is in
    /// an optional composite.
    public let isOptional: Bool
    /// The value of a new object, which has the attribute's type; null for none.
    public let defaultValue: StoredValue
    /// The slot in a row that has the value.
    public let slot: Int
    /// The kind of value in the slot.
    public let kind: SlotKind
    /// The entity that declares the attribute.
    public let declaringEntity: EntityID
    /// Whether stores may keep large values in separate files.
    public let allowsExternalBinaryDataStorage: Bool
    /// Whether the value is kept in the history when its object is deleted.
    public let preservesValueInHistoryOnDeletion: Bool
    /// Whether the values are left out of logs and descriptions.
    public let isConfidential: Bool
    /// The expression from which stores compute the value; nil for an attribute that the
    /// application sets.
    public let derivation: DerivationExpression?
    /// The Swift type of a transformable attribute's values; nil for other attributes.
    public let codableType: CodableType?
    /// The name of the transformer for the values in the model; nil for none.
    public let valueTransformerName: String?
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]
    /// The rules that values must meet when they are saved.
    public let rules: AttributeRules
}
