/// The state of an object, in bits that the accessors test.
@usableFromInline struct ObjectFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

    // Flags that accessors in other modules test are computed: a stored one would be read through a
    // call there.

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
    /// Not registered any more: deleted by a save of this or another context, or released with all
    /// objects of the context.
    static let gone = ObjectFlags(rawValue: 1 << 5)
    /// Deleted by another context, and still listed among the deleted objects here.
    static let deletedElsewhere = ObjectFlags(rawValue: 1 << 6)
    /// Deleted here by the delete rule of another object.
    static let cascaded = ObjectFlags(rawValue: 1 << 7)

    /// Gone permanently, so that writes to it are lost: its deletion was saved, or it merged into
    /// another object.
    static let buried = ObjectFlags(rawValue: 1 << 8)

    /// In the ``ChangedObjects`` of its context.
    static let listed = ObjectFlags(rawValue: 1 << 9)
    /// Indexed there by its values, so that a change must be recorded beforehand.
    static let indexed = ObjectFlags(rawValue: 1 << 10)

    /// Reached by the prefetch in progress.
    static let reached = ObjectFlags(rawValue: 1 << 11)

    /// The save in progress has called `willSave`.
    static let calledWillSave = ObjectFlags(rawValue: 1 << 12)
    /// `prepareForDeletion` is running.
    static let preparing = ObjectFlags(rawValue: 1 << 13)
    /// Reads are reported to the Observation framework.
    @inlinable static var observed: ObjectFlags { ObjectFlags(rawValue: 1 << 14) }
    /// The next write must be reported.
    @inlinable static var tellsWrites: ObjectFlags { ObjectFlags(rawValue: 1 << 15) }

    /// Has an entry in the list of new, changed or deleted objects.
    static let inInserted = ObjectFlags(rawValue: 1 << 16)
    static let inUpdated = ObjectFlags(rawValue: 1 << 17)
    static let inDeleted = ObjectFlags(rawValue: 1 << 18)

    /// Gone permanently: it was new, and deleted or rolled back before a save.
    static let dropped = ObjectFlags(rawValue: 1 << 19)

    /// The flags that a write tests: without ``writable``, or with ``tellsWrites``, it takes the
    /// slower path.
    @inlinable static var writing: ObjectFlags { ObjectFlags(rawValue: 1 << 0 | 1 << 15) }
    /// The flags that keep an object registered although nothing else references it.
    static let pinning: ObjectFlags = [.inserted, .updated, .deleted]
    /// The lists that an object has an entry in.
    static let entries: ObjectFlags = [.inInserted, .inUpdated, .inDeleted]
    /// The flags of objects that have permanently left their context.
    static let left: ObjectFlags = [.buried, .dropped]
    /// The flags that a save removes from new and changed objects.
    static let saved: ObjectFlags = [.inserted, .updated, .inInserted, .inUpdated, .writable]
    /// The flags that only ``ChangeTracker`` sets and removes.
    static let tracked: ObjectFlags = [pinning, entries, .listed, .indexed]
}
