/// The place of an entity in its model.
///
/// Valid only together with the ``ManagedObjectModel`` that it came from.
public struct EntityID: Hashable, Sendable, Comparable {
    /// The index into ``ManagedObjectModel/entities``.
    public let index: Int

    /// Names the entity at an index.
    public init(index: Int) { self.index = index }

    /// Orders by index.
    public static func < (a: EntityID, b: EntityID) -> Bool { a.index < b.index }
}

/// The place of a relationship in its model; a relationship that sub-entities inherit has one ID.
///
/// Valid only together with the ``ManagedObjectModel`` that it came from.
public struct RelationshipID: Hashable, Sendable, Comparable {
    /// The index into ``ManagedObjectModel/relationships``.
    public let index: Int

    /// Names the relationship at an index.
    public init(index: Int) { self.index = index }

    /// Orders by index.
    public static func < (a: RelationshipID, b: RelationshipID) -> Bool { a.index < b.index }
}
