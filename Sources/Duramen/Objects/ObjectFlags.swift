/// Where an object stands in its life, in bits that the accessors test.
@usableFromInline struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @usableFromInline init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The row is the object's own and may be written.
    @usableFromInline static let writable = ObjectFlags(rawValue: 1 << 0)
    /// New, and not saved yet.
    static let inserted = ObjectFlags(rawValue: 1 << 1)
    /// In the context's list of changed objects.
    static let updated = ObjectFlags(rawValue: 1 << 2)
    /// Deleted here, and not saved yet.
    static let deleted = ObjectFlags(rawValue: 1 << 3)
    /// Deleted here, and its delete rules are applied.
    static let propagated = ObjectFlags(rawValue: 1 << 4)
    /// Deleted by a save of this or another context.
    static let gone = ObjectFlags(rawValue: 1 << 5)
    /// Deleted by another context, and still listed among the deleted objects here.
    static let deletedElsewhere = ObjectFlags(rawValue: 1 << 6)

    /// What keeps an object in its context although nobody else holds it.
    static let pinning: ObjectFlags = [.inserted, .updated, .deleted]
}
