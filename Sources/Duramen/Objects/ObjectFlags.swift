/// Where an object stands in its life, in bits that the accessors test.
@usableFromInline struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

    // What accessors in other modules test is computed: a stored one would be read through a call
    // there.

    /// The row is the object's own and may be written.
    @inlinable static var writable: ObjectFlags { ObjectFlags(rawValue: 1 << 0) }
    /// New, and not saved yet.
    static let inserted = ObjectFlags(rawValue: 1 << 1)
    /// Saved before, and changed here.
    static let updated = ObjectFlags(rawValue: 1 << 2)
    /// Deleted here, and not saved yet.
    static let deleted = ObjectFlags(rawValue: 1 << 3)
    /// Deleted here, and its delete rules are applied.
    static let propagated = ObjectFlags(rawValue: 1 << 4)
    /// No longer registered: deleted by a save of this or another context, or forgotten with the
    /// context's objects.
    static let gone = ObjectFlags(rawValue: 1 << 5)
    /// Deleted by another context, and still listed among the deleted objects here.
    static let deletedElsewhere = ObjectFlags(rawValue: 1 << 6)
    /// Deleted here by the delete rule of another object.
    static let cascaded = ObjectFlags(rawValue: 1 << 7)

    /// Gone for good, so that writes to it are lost: its deletion was saved, or it became another
    /// object.
    static let buried = ObjectFlags(rawValue: 1 << 8)

    /// Among the ``ChangedObjects`` of its context.
    static let listed = ObjectFlags(rawValue: 1 << 9)
    /// Found by its values there, so that it is noted before they change.
    static let indexed = ObjectFlags(rawValue: 1 << 10)

    /// Met by the prefetch under way.
    static let reached = ObjectFlags(rawValue: 1 << 11)

    /// The save under way called `willSave`.
    static let calledWillSave = ObjectFlags(rawValue: 1 << 12)
    /// `prepareForDeletion` runs.
    static let preparing = ObjectFlags(rawValue: 1 << 13)
    /// Reads are told to the Observation framework.
    @inlinable static var observed: ObjectFlags { ObjectFlags(rawValue: 1 << 14) }
    /// The next write is to be told to somebody.
    @inlinable static var tellsWrites: ObjectFlags { ObjectFlags(rawValue: 1 << 15) }

    /// Has an entry in the list of new, changed or deleted objects.
    static let inInserted = ObjectFlags(rawValue: 1 << 16)
    static let inUpdated = ObjectFlags(rawValue: 1 << 17)
    static let inDeleted = ObjectFlags(rawValue: 1 << 18)

    /// What a write looks at: without ``writable``, or with ``tellsWrites``, it takes the longer
    /// way.
    @inlinable static var writing: ObjectFlags { ObjectFlags(rawValue: 1 << 0 | 1 << 15) }
    /// What keeps an object in its context although nobody else holds it.
    static let pinning: ObjectFlags = [.inserted, .updated, .deleted]
    /// The lists that an object has an entry in.
    static let entries: ObjectFlags = [.inInserted, .inUpdated, .inDeleted]
    /// What a save takes from new and changed objects.
    static let saved: ObjectFlags = [.inserted, .updated, .inInserted, .inUpdated, .writable]
    /// What ``ChangeTracker`` alone sets and takes back.
    static let tracked: ObjectFlags = [pinning, entries, .listed, .indexed]
}
