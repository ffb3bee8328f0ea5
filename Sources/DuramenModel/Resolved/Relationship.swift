/// A relationship of a resolved model, as one entity has it.
///
/// Slot and index are the same in all entities that inherit it, but for those of hidden
/// relationships, ``orderSlot`` and entity slots: these stand behind all that an entity's class
/// knows.
public struct Relationship: Sendable, Hashable {
    /// The relationship's place in ``ManagedObjectModel/relationships``.
    public let id: RelationshipID
    /// The property's name.
    public let name: String
    /// The entity that declares the relationship.
    public let declaringEntity: EntityID
    /// The entity at the other end. Destinations may also be of its sub-entities.
    public let destination: EntityID
    /// The relationship back; a hidden one when the model names none, or the relationship itself.
    public let inverse: RelationshipID
    /// Whether the model made it, as the way back of a relationship without an inverse. Its name
    /// has a dot in front, and no application can ask for it.
    public let isHidden: Bool
    /// Whether a to-many keeps an order that the application decides.
    public let isOrdered: Bool
    /// The form in which the store keeps the relationship.
    public let storage: RelationshipStorage
    /// Whether a to-one may be null, or a to-many empty, when it is saved.
    public let isOptional: Bool
    /// The smallest number of destinations of a to-many that is not both optional and empty.
    public let minimumCount: Int
    /// The largest number of destinations of a to-many; nil for any.
    public let maximumCount: Int?
    /// The effect on the destinations when the owner is deleted.
    public let deleteRule: DeleteRule
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]

    /// Where rows hold the object's number in the order of the destination's to-many, which is this
    /// to-one's inverse; nil when that has none. An object without a number comes first.
    public let orderSlot: Int?

    /// Whether the relationship is to-many.
    public var isToMany: Bool {
        if case .toOne = storage { false } else { true }
    }

    /// Whether the relationship is its own inverse.
    public var isSelfInverse: Bool { id == inverse }

    /// Where rows hold the destination's key; nil for a to-many.
    public var slot: Int? {
        if case .toOne(let slot, _) = storage { slot } else { nil }
    }
}

/// The form in which a store keeps a relationship.
public enum RelationshipStorage: Sendable, Hashable {
    /// The destination's key, in `slot` of the owner's row. When the destination has sub-entities,
    /// `entitySlot` holds the index of the destination's own entity.
    case toOne(slot: Int, entitySlot: Int?)
    /// Nothing: the inverse to-one, in the destinations' rows, says it all.
    case inverseOfToOne(toManyIndex: Int)
    /// Pairs of keys, apart from both rows. Each pair is kept once for both directions.
    case manyToMany(toManyIndex: Int)

    /// The place among the entity's to-many relationships; nil for a to-one.
    public var toManyIndex: Int? {
        switch self {
        case .toOne: nil
        case .inverseOfToOne(let index), .manyToMany(let index): index
        }
    }
}
