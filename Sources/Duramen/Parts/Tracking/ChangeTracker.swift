import DuramenModel
import DuramenStore

/// What is to be saved of a part: which objects have changes, and of what kind, and which pairs.
///
/// Nobody else sets or takes back the flags `inserted`, `updated` and `deleted` of an object. So
/// each list has exactly the objects with its flag, and ``hasChanges`` is a count.
struct ChangeTracker {
    /// New objects, those that were deleted before a save included until rules are applied.
    private(set) var inserted = ChangedList(.inserted, entry: .inInserted)
    /// Saved objects that were changed, those that were deleted then included.
    private(set) var updated = ChangedList(.updated, entry: .inUpdated)
    /// Objects that were deleted here.
    private(set) var deleted = ChangedList(.deleted, entry: .inDeleted)
    /// The same for fetches in which unsaved changes take part; nil until there is one.
    private(set) var index: ChangedObjects?
    /// Deleted objects whose delete rules are still to be applied.
    private(set) var deletesToPropagate = ContiguousArray<ManagedObject>()
    /// What `deny` rules protect from deletions that are not saved yet.
    private(set) var denials: [Denial] = []
    /// Objects with edits of to-manys.
    private(set) var touched = ContiguousArray<ManagedObject>()
    /// Many-to-many pairs to add (true) or to remove (false).
    private(set) var edges: [EdgeKey: Bool] = [:]
    /// The numbers that the save under way gives to pairs.
    private(set) var pairNumbers: [EdgeKey: PairNumbers] = [:]
    /// What the next save depends on although it need not write it.
    private(set) var guarded: [ManagedObject: ObjectGuard] = [:]
    /// What stays out of the save under way.
    private(set) var aside: ChangesAside?

    /// Whether something is to be saved.
    @inline(__always)
    var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }

    /// New objects, then changed ones.
    var written: [ManagedObject] { Array(inserted) + Array(updated) }

    /// All objects that have changes or had some since the last save. An object may be there twice.
    var visited: ContiguousArray<ManagedObject> {
        inserted.entries + updated.entries + deleted.entries
    }

    // MARK: - The state of an object

    /// Notes an object that was made as a new one.
    @inline(__always)
    mutating func insertMade(_ object: ManagedObject) { inserted.addMade(object) }

    /// Has an object be a new one, which is in no store.
    mutating func insert(_ object: ManagedObject) { inserted.add(object) }

    /// Has an object be a changed one.
    @inline(__always)
    mutating func update(_ object: ManagedObject) { updated.add(object) }

    /// Has an object be deleted, whose delete rules are to be applied.
    mutating func delete(_ object: ManagedObject) {
        deleted.add(object)
        deletesToPropagate.append(object)
    }

    /// Has an object be no new one.
    mutating func takeBackInsertion(of object: ManagedObject) {
        inserted.remove(object)
    }

    /// Has an object be no changed one.
    mutating func takeBackUpdate(of object: ManagedObject) {
        updated.remove(object)
    }

    /// Has an object be no changed one that became one just now, before anybody else looked.
    mutating func takeBackLastUpdate(of object: ManagedObject) {
        updated.remove(object)
        if updated.trim() { index?.forget() }
    }

    /// Has an object be deleted no more.
    mutating func takeBackDeletion(of object: ManagedObject) {
        deleted.remove(object)
        object.flags.subtract([.propagated, .cascaded])
    }

    /// Has an object have no changes at all.
    mutating func takeBackAll(of object: ManagedObject) {
        takeBackInsertion(of: object)
        takeBackUpdate(of: object)
        takeBackDeletion(of: object)
    }

    /// Has a new object be a changed one: it became a stored one.
    mutating func becomeStored(_ object: ManagedObject) {
        // What the index knows of it is that it was new.
        index?.forget()
        inserted.remove(object)
        updated.add(object)
    }

    /// Has an object without changes have other flags, which say nothing of changes.
    mutating func reflag(_ object: ManagedObject, _ flags: ObjectFlags) {
        takeBackAll(of: object)
        index?.forget()
        object.flags = flags.subtracting(.tracked).union(object.flags.intersection(.entries))
    }

    /// Has an object of another part be one of this part.
    mutating func takeOver(_ object: ManagedObject, from other: inout ChangeTracker) {
        other.index?.forget()
        other.inserted.handOver(object)
        inserted.add(object)
        if other.untouch(object) { touched.append(object) }
    }

    /// Lists for a save, without what was taken back.
    mutating func compact() {
        if !inserted.isSparse, !updated.isSparse, !deleted.isSparse { return }
        index?.forget()
        inserted.compact()
        updated.compact()
        deleted.compact()
    }

    // MARK: - Ends

    /// Forgets what was saved. The caller has cleared the flags of new and changed objects, with
    /// others at one go, and has buried deleted objects.
    mutating func forgetSaved() {
        index?.forget()
        inserted.forgetCleared()
        updated.forgetCleared()
        deleted.clear()
        edges = [:]
        denials = []
        guarded = [:]
    }

    /// Forgets all changes.
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

    /// Has the rules of a deleted object applied again.
    mutating func propagateAgain(_ object: ManagedObject) {
        object.flags.remove(.propagated)
        deletesToPropagate.append(object)
    }

    /// The object whose delete rules are due next.
    mutating func nextToPropagate() -> ManagedObject? { deletesToPropagate.popLast() }

    /// Has rules applied the next time that could not be applied now.
    mutating func postpone(_ failed: ContiguousArray<ManagedObject>) { deletesToPropagate = failed }

    mutating func deny(_ relationship: Relationship, of object: ManagedObject) {
        // Rules are applied again when others save new destinations.
        let isKnown = denials.contains {
            $0.object === object && $0.relationship.id == relationship.id
        }
        if !isKnown { denials.append(Denial(object: object, relationship: relationship)) }
    }

    /// Forgets rules of objects that are not deleted any more.
    mutating func forgetRulesOfReturned() {
        deletesToPropagate.removeAll { !$0.flags.contains(.deleted) }
        denials.removeAll { !$0.object.flags.contains(.deleted) }
    }

    // MARK: - To-manys

    /// Notes the first edit of an object's to-manys.
    @inline(__always)
    mutating func touch(_ object: ManagedObject) { touched.append(object) }

    /// Keeps only the objects that still have edits of to-manys.
    mutating func keepTouched(_ left: ContiguousArray<ManagedObject>) { touched = left }

    /// Forgets that an object has edits of to-manys.
    ///
    /// - Returns: Whether it was known.
    mutating func untouch(_ object: ManagedObject) -> Bool {
        // Most often it is one of the last.
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

    /// Hands over the numbers that a save gives to a pair.
    mutating func takeNumbers(of edge: EdgeKey) -> PairNumbers? {
        pairNumbers.removeValue(forKey: edge)
    }

    // MARK: - Guards

    mutating func `guard`(_ object: ManagedObject, _ row: Row) {
        guarded[object] = ObjectGuard(row: row)
    }

    mutating func refuse(_ object: ManagedObject) { guarded[object]?.isRefused = true }

    /// Ends guards that a save has met, unless they were renewed since.
    mutating func endGuards(_ met: [ManagedObject: ObjectGuard]) {
        for (object, entry) in met where guarded[object]?.row.version == entry.row.version {
            guarded[object] = nil
        }
    }

    // MARK: - Setting aside

    /// Takes the changes of some objects out, which stay out of a save.
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

    /// Takes in again what stayed out of a save.
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

    /// The changed objects as fetches look at them, up to date.
    mutating func currentIndex(_ entityCount: Int) -> ChangedObjects {
        let known = index ?? ChangedObjects()
        index = known
        known.catchUp(with: self, entityCount: entityCount)
        return known
    }

    // MARK: - Checking

    /// What is wrong with the lists; nil when all is well.
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
        let waiting = deletesToPropagate.first {
            !$0.flags.contains(.deleted) && !$0.flags.contains(.gone)
        }
        return waiting.map { "rules of \($0.objectID) are due, which is not deleted" }
    }
}

/// A many-to-many pair, seen from the relationship with the lower number. A relationship that is
/// its own inverse is seen from an end that does not change.
struct EdgeKey: Hashable {
    var relationship: RelationshipID
    var source: ManagedObject
    var destination: ManagedObject
}

/// A deleted object and a relationship whose `deny` rule protects its destinations.
struct Denial {
    var object: ManagedObject
    var relationship: Relationship
}

/// The numbers of a pair in the orders of its two ends.
struct PairNumbers {
    var own: Int64?
    var inverse: Int64?
}

/// Changes that stay out of a save.
struct ChangesAside {
    let objects: Set<ManagedObject>
    var inserted = ContiguousArray<ManagedObject>()
    var updated = ContiguousArray<ManagedObject>()
    var deleted = ContiguousArray<ManagedObject>()
    var denials: [Denial] = []
    var edges: [EdgeKey: Bool] = [:]
    /// What others deleted that the changes may refer to.
    var deletions: Set<ManagedObjectID> = []

    func isAside(_ edge: EdgeKey) -> Bool {
        objects.contains(edge.source) || objects.contains(edge.destination)
    }
}
