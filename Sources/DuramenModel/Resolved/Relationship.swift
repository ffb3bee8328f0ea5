/// A relationship of a resolved model.
public struct Relationship: Sendable, Hashable {
    /// The relationship's place in ``ManagedObjectModel/relationships``.
    public let id: RelationshipID
    /// The property's name.
    public let name: String
    /// The entity that declares the relationship.
    public let declaringEntity: EntityID
    /// The entity at the other end; sub-entities of it may stand there too.
    public let destination: EntityID
    /// The relationship back.
    public let inverse: RelationshipID
    /// What the store keeps for the relationship.
    public let storage: RelationshipStorage
    /// Whether a to-one may be null, or a to-many empty, when it is saved.
    public let isOptional: Bool
    /// The smallest number of destinations of a to-many that is not both optional and empty.
    public let minimumCount: Int
    /// The largest number of destinations of a to-many; nil for any.
    public let maximumCount: Int?
    /// What deleting the owner does to the destinations.
    public let deleteRule: DeleteRule
    /// The name in an earlier version of the model.
    public let renamingIdentifier: String?
    /// Notes of the application.
    public let userInfo: [String: String]

    /// Whether the relationship leads to any number of objects.
    public var isToMany: Bool {
        if case .toOne = storage { false } else { true }
    }

    /// Where rows hold the destination's key; nil for a to-many.
    public var slot: Int? {
        if case .toOne(let slot, _) = storage { slot } else { nil }
    }
}

/// What a store keeps for a relationship.
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
