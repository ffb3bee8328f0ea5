/// An attribute of a resolved model that stores do not keep.
///
/// Its values belong to objects, not to rows. So it is not among an entity's ``Entity/attributes``,
/// and neither stores nor queries know it.
public struct TransientAttribute: Sendable, Hashable {
    /// The property's name.
    public let name: String
    /// The type of the values; ``AttributeType/undefined`` for any Swift type.
    public let type: AttributeType
    /// Whether the attribute may have no value when the object is saved.
    public let isOptional: Bool
    /// The value of an object whose attribute was not set; null for none.
    public let defaultValue: StoredValue
    /// The index among the entity's transient attributes, inherited ones first.
    public let index: Int
    /// The entity that declares the attribute.
    public let declaringEntity: EntityID
    /// Notes of the application.
    public let userInfo: [String: String]
}
