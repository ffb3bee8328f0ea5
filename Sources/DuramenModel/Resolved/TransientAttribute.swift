/// An attribute of a resolved model that no store keeps.
///
/// Its values live with objects, not in rows; so it is not among an entity's ``Entity/attributes``,
/// and neither stores nor queries know it.
public struct TransientAttribute: Sendable, Hashable {
    /// The property's name.
    public let name: String
    /// The type of the values; ``AttributeType/undefined`` for any Swift type.
    public let type: AttributeType
    /// Whether it may have no value when the object is saved.
    public let isOptional: Bool
    /// The value of an object that was given none; null for none.
    public let defaultValue: StoredValue
    /// The attribute's place among the entity's transient ones, inherited ones first.
    public let index: Int
    /// The entity that declares the attribute.
    public let declaringEntity: EntityID
    /// Notes of the application.
    public let userInfo: [String: String]
}
