/// A relationship of a resolved model, in the form of one entity.
///
/// Slot and index are equal in all entities that inherit the relationship. Exceptions are those of
/// hidden relationships, ``orderSlot`` and entity slots, which follow the slots that the entity's
/// class knows.
public struct Relationship: Sendable, Hashable {
    /// The relationship's place in ``ManagedObjectModel/relationships``.
    public let id: RelationshipID
    /// The property's name.
    public let name: String
    /// The entity that declares the relationship.
    public let declaringEntity: EntityID
    /// The entity at the other end. Destinations may also belong to its sub-entities.
    public let destination: EntityID
    /// The inverse relationship. It is hidden if the model names none, and may be the relationship
    /// itself.
    public let inverse: RelationshipID
    /// Whether the model made the relationship as the inverse of one that has none. Its name begins
    /// with a dot, and applications cannot use it.
    public let isHidden: Bool
    /// Whether a to-many keeps an order that the application determines.
    public let isOrdered: Bool
    /// The form in which the store keeps the relationship.
    public let storage: RelationshipStorage
    /// Whether a to-one may be null, or a to-many empty, when it is saved.
    public let isOptional: Bool
    /// The smallest number of destinations of a to-many that is not both optional and empty.
    public let minimumCount: Int
    /// The largest number of destinations of a to-many; nil for any number.
    public let maximumCount: Int?
    /// The effect on the destinations when the owner is deleted.
    public let deleteRule: DeleteRule
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]

    /// The slot in a row for the object's position in the ordered to-many that is this to-one's
    /// inverse; nil if the inverse has no order. An object without a position comes first.
    public let orderSlot: Int?

    /// Whether the relationship is to-many.
    public var isToMany: Bool {
        if case .toOne = storage { false } else { true }
    }

    /// Whether the relationship is its own inverse.
    public var isSelfInverse: Bool { id == inverse }

    /// The slot in a row that has the destination's key; nil for a to-many.
    public var slot: Int? {
        if case .toOne(let slot, _) = storage { slot } else { nil }
    }
}

/// The form in which a store keeps a relationship.
public enum RelationshipStorage: Sendable, Hashable {
    /// The destination's key, in `slot` of the owner's row. If the destination has sub-entities,
    /// `entitySlot` has the index of the destination's own entity.
    case toOne(slot: Int, entitySlot: Int?)
    /// Not stored: the inverse to-one, in the destinations' rows, has all the information.
    case inverseOfToOne(toManyIndex: Int)
    /// Pairs of keys, outside of both rows. Each pair is stored once for both directions.
    case manyToMany(toManyIndex: Int)

    /// The index among the entity's to-many relationships; nil for a to-one.
    public var toManyIndex: Int? {
        switch self {
        case .toOne: nil
        case .inverseOfToOne(let index), .manyToMany(let index): index
        }
    }
}
