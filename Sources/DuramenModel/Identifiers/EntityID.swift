/// The place of an entity in its model.
/// An ID is valid only together with its ``ManagedObjectModel``.
public struct EntityID: Hashable, Sendable, Comparable {
    /// The index into ``ManagedObjectModel/entities``.
    public let index: Int

    /// Creates the ID of the entity at an index.
    public init(index: Int) { self.index = index }

    /// Returns whether an ID has a lower index than another.
    public static func < (a: EntityID, b: EntityID) -> Bool { a.index < b.index }
}

/// The place of a relationship in its model; a relationship that sub-entities inherit has one ID.
/// An ID is valid only together with its ``ManagedObjectModel``.
public struct RelationshipID: Hashable, Sendable, Comparable {
    /// The index into ``ManagedObjectModel/relationships``.
    public let index: Int

    /// Creates the ID of the relationship at an index.
    public init(index: Int) { self.index = index }

    /// Returns whether an ID has a lower index than another.
    public static func < (a: RelationshipID, b: RelationshipID) -> Bool { a.index < b.index }
}
