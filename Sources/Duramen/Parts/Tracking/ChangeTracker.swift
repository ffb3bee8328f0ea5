import DuramenModel
import DuramenStore

/// The changes of a part to save: objects with their kind of change, and pairs.
///
/// Only the tracker sets and removes the flags `inserted`, `updated` and `deleted` of an object. So
/// each list has exactly the objects with its flag, and ``hasChanges`` is a count.
struct ChangeTracker {
    /// New objects, including deleted ones until delete rules are applied.
    private(set) var inserted = ChangedList(.inserted, entry: .inInserted)
    /// Saved objects that were changed, including those that were then deleted.
    private(set) var updated = ChangedList(.updated, entry: .inUpdated)
    /// Objects that were deleted here.
    private(set) var deleted = ChangedList(.deleted, entry: .inDeleted)
    /// The changed objects for fetches with unsaved changes; nil until the first such fetch.
    private(set) var index: ChangedObjects?
    /// Deleted objects whose delete rules are still to be applied.
    private(set) var deletesToPropagate = ContiguousArray<ManagedObject>()
    /// The relationships whose `deny` rules protect destinations from unsaved deletions.
    private(set) var denials: [Denial] = []
    /// Objects with edits of to-manys.
    private(set) var touched = ContiguousArray<ManagedObject>()
    /// Many-to-many pairs to add (true) or to remove (false).
    private(set) var edges: [EdgeKey: Bool] = [:]
    /// The order numbers of pairs that the save in progress assigns.
    private(set) var pairNumbers: [EdgeKey: PairNumbers] = [:]
    /// The objects that the next save depends on without writing them.
    private(set) var guarded: [ManagedObject: ObjectGuard] = [:]
    /// The changes that are excluded from the save in progress.
    private(set) var aside: ChangesAside?

    /// Whether there is something to save.
    @inline(__always)
    var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }

    /// New objects, then changed ones.
    var written: [ManagedObject] { Array(inserted) + Array(updated) }

    /// All objects with changes, and those that had changes since the last save. An object may
    /// occur twice.
    var visited: ContiguousArray<ManagedObject> {
        inserted.entries + updated.entries + deleted.entries
    }

    // MARK: - State of an object

    /// Records an object that was created as a new one.
    @inline(__always)
    mutating func insertMade(_ object: ManagedObject) { inserted.addMade(object) }

    /// Makes an object a new one, which is not in a store.
    mutating func insert(_ object: ManagedObject) { inserted.add(object) }

    /// Makes an object a changed one.
    @inline(__always)
    mutating func update(_ object: ManagedObject) { updated.add(object) }

    /// Makes an object a deleted one, whose delete rules are due.
    mutating func delete(_ object: ManagedObject) {
        deleted.add(object)
        deletesToPropagate.append(object)
    }

    /// Removes an object from the new ones.
    mutating func takeBackInsertion(of object: ManagedObject) {
        inserted.remove(object)
    }

    /// Removes an object from the changed ones.
    mutating func takeBackUpdate(of object: ManagedObject) {
        updated.remove(object)
    }

    /// Removes an object from the changed ones if it was just added and nothing has used the list
    /// since.
    mutating func takeBackLastUpdate(of object: ManagedObject) {
        updated.remove(object)
        if updated.trim() { index?.forget() }
    }

    /// Removes an object from the deleted ones.
    mutating func takeBackDeletion(of object: ManagedObject) {
        deleted.remove(object)
        object.flags.subtract([.propagated, .cascaded])
    }

    /// Removes an object from all lists.
    mutating func takeBackAll(of object: ManagedObject) {
        takeBackInsertion(of: object)
        takeBackUpdate(of: object)
        takeBackDeletion(of: object)
    }

    /// Makes a new object a changed one, because it now represents a stored object.
    mutating func becomeStored(_ object: ManagedObject) {
        // The index has it as a new object.
        index?.forget()
        inserted.remove(object)
        updated.add(object)
    }

    /// Gives an object without changes other flags that are not about changes.
    mutating func reflag(_ object: ManagedObject, _ flags: ObjectFlags) {
        takeBackAll(of: object)
        index?.forget()
        object.flags = flags.subtracting(.tracked).union(object.flags.intersection(.entries))
    }

    /// Moves a new object from another part to this one.
    mutating func takeOver(_ object: ManagedObject, from other: inout ChangeTracker) {
        other.index?.forget()
        other.inserted.handOver(object)
        inserted.add(object)
        if other.untouch(object) { touched.append(object) }
    }

    /// Whether the lists have entries of reverted changes.
    var isSparse: Bool { inserted.isSparse || updated.isSparse || deleted.isSparse }

    /// Removes entries of reverted changes from the lists, for a save.
    mutating func compact() {
        index?.forget()
        inserted.compact()
        updated.compact()
        deleted.compact()
    }

    // MARK: - After a save

    /// Clears the saved changes. The caller has cleared the flags of new and changed objects in one
    /// pass, and has buried deleted objects.
    mutating func forgetSaved() {
        index?.forget()
        inserted.forgetCleared()
        updated.forgetCleared()
        deleted.clear()
        edges = [:]
        denials = []
        guarded = [:]
    }

    /// Clears all changes.
    mutating func clear() {
        index?.forget()
        inserted.clear()
        updated.clear()
        deleted.clear()
        deletesToPropagate = []
        denials = []
        touched = []
        edges = [:]
        guarded = [:]
    }

    // MARK: - Delete rules

    /// Makes the delete rules of a deleted object due again.
    mutating func propagateAgain(_ object: ManagedObject) {
        object.flags.remove(.propagated)
        deletesToPropagate.append(object)
    }

    /// Removes and returns the next object whose delete rules are due.
    mutating func nextToPropagate() -> ManagedObject? { deletesToPropagate.popLast() }

    /// Postpones delete rules that could not be applied now.
    mutating func postpone(_ failed: ContiguousArray<ManagedObject>) { deletesToPropagate = failed }

    mutating func deny(_ relationship: Relationship, of object: ManagedObject) {
        // Rules are applied again when other saves add destinations.
        let isKnown = denials.contains {
            $0.object === object && $0.relationship.id == relationship.id
        }
        if !isKnown { denials.append(Denial(object: object, relationship: relationship)) }
    }

    /// Drops the rules of objects that are not deleted any more.
    mutating func forgetRulesOfReturned() {
        deletesToPropagate.removeAll { !$0.flags.contains(.deleted) }
        denials.removeAll { !$0.object.flags.contains(.deleted) }
    }

    // MARK: - To-manys

    /// Records the first edit of an object's to-manys.
    @inline(__always)
    mutating func touch(_ object: ManagedObject) { touched.append(object) }

    /// Keeps only the objects that still have edits of to-manys.
    mutating func keepTouched(_ left: ContiguousArray<ManagedObject>) { touched = left }

    /// Removes an object from those with edits of to-manys.
    ///
    /// - Returns: Whether it was one of them.
    mutating func untouch(_ object: ManagedObject) -> Bool {
        // It is usually one of the last.
        guard let index = touched.lastIndex(where: { $0 === object }) else { return false }
        touched.remove(at: index)
        return true
    }

    @inline(__always)
    mutating func set(_ edge: EdgeKey, isAdded: Bool) { edges[edge] = isAdded }

    mutating func forget(_ edge: EdgeKey) { edges[edge] = nil }

    mutating func beginNumbering() { pairNumbers = [:] }

    mutating func number(_ edge: EdgeKey, _ change: (inout PairNumbers) -> Void) {
        change(&pairNumbers[edge, default: PairNumbers()])
    }

    mutating func endNumbering() {
        if let aside { pairNumbers = pairNumbers.filter { !aside.isAside($0.key) } }
    }

    /// Removes and returns the order numbers that a save assigns to a pair.
    mutating func takeNumbers(of edge: EdgeKey) -> PairNumbers? {
        pairNumbers.removeValue(forKey: edge)
    }

    // MARK: - Guards

    mutating func `guard`(_ object: ManagedObject, _ row: Row) {
        guarded[object] = ObjectGuard(row: row)
    }

    mutating func refuse(_ object: ManagedObject) { guarded[object]?.isRefused = true }

    /// Ends guards that a save has compared, unless they were renewed since.
    mutating func endGuards(_ met: [ManagedObject: ObjectGuard]) {
        for (object, entry) in met where guarded[object]?.row.version == entry.row.version {
            guarded[object] = nil
        }
    }

    // MARK: - Setting aside

    /// Removes the changes of some objects, to exclude them from a save.
    mutating func setAside(_ excluded: Set<ManagedObject>, deletions: Set<ManagedObjectID>) {
        if excluded.isEmpty { return }
        index?.forget()
        var aside = ChangesAside(objects: excluded)
        aside.inserted = inserted.setAside(excluded)
        aside.updated = updated.setAside(excluded)
        aside.deleted = deleted.setAside(excluded)
        aside.denials = denials.filter { excluded.contains($0.object) }
        aside.edges = edges.filter { aside.isAside($0.key) }
        aside.deletions = deletions
        denials.removeAll { excluded.contains($0.object) }
        edges = edges.filter { !aside.isAside($0.key) }
        self.aside = aside
    }

    /// Restores the changes that were excluded from a save.
    mutating func takeBackAside() -> ChangesAside? {
        guard let aside else { return nil }
        self.aside = nil
        index?.forget()
        inserted.takeBack(aside.inserted)
        updated.takeBack(aside.updated)
        deleted.takeBack(aside.deleted)
        denials += aside.denials
        edges.merge(aside.edges) { own, _ in own }
        return aside
    }

    // MARK: - The index

    /// Returns the changed objects for fetches, brought up to date.
    mutating func currentIndex(_ entityCount: Int) -> ChangedObjects {
        let known = index ?? ChangedObjects()
        index = known
        known.catchUp(with: self, entityCount: entityCount)
        return known
    }

    // MARK: - Checking

    /// The broken invariant of the lists; nil if there is none.
    var brokenInvariant: String? {
        if aside != nil { return nil }
        if let problem = inserted.brokenInvariant("the list of new objects")
            ?? updated.brokenInvariant("the list of changed objects")
            ?? deleted.brokenInvariant("the list of deleted objects")
        {
            return problem
        }
        if let object = inserted.first(where: { $0.flags.contains(.updated) }) {
            return "\(object.objectID) is new and changed"
        }
        if let object = inserted.first(where: { $0.row.map { $0.version != .unsaved } ?? false }) {
            return "\(object.objectID) is new and has a stored row"
        }
        let waiting = deletesToPropagate.first {
            !$0.flags.contains(.deleted) && !$0.flags.contains(.gone)
        }
        return waiting.map { "rules of \($0.objectID) are due, which is not deleted" }
    }
}

/// A many-to-many pair, with the relationship of the lower number. For a relationship that is its
/// own inverse, the source is fixed too.
struct EdgeKey: Hashable {
    var relationship: RelationshipID
    var source: ManagedObject
    var destination: ManagedObject

    /// Whether both objects are there. Other pairs end with their objects, and are not written.
    var isLive: Bool { source.flags.union(destination.flags).isDisjoint(with: [.deleted, .gone]) }
}

/// A deleted object and a relationship whose `deny` rule protects its destinations.
struct Denial {
    var object: ManagedObject
    var relationship: Relationship
}

/// The order numbers of a pair on its two sides.
struct PairNumbers {
    var own: Int64?
    var inverse: Int64?
}

/// Changes that are excluded from a save.
struct ChangesAside {
    let objects: Set<ManagedObject>
    var inserted = ContiguousArray<ManagedObject>()
    var updated = ContiguousArray<ManagedObject>()
    var deleted = ContiguousArray<ManagedObject>()
    var denials: [Denial] = []
    var edges: [EdgeKey: Bool] = [:]
    /// Deletions of others that the changes may refer to.
    var deletions: Set<ManagedObjectID> = []

    func isAside(_ edge: EdgeKey) -> Bool {
        objects.contains(edge.source) || objects.contains(edge.destination)
    }
}
