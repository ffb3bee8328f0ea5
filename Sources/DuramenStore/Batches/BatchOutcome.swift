public import DuramenModel

/// The result of a batch.
public struct BatchOutcome: Sendable {
    /// The state that the batch created; nil when there was nothing to do.
    public var generation: StoreGeneration?
    /// The number of objects that the batch inserted or updated, or was asked to delete.
    public var count = 0
    /// The objects that ``count`` counts, in the order in which they were found; empty unless they
    /// were requested.
    public var objectIDs: [ManagedObjectID] = []
    /// All new objects; empty unless they were requested, like ``updated`` and ``deleted``.
    public var inserted: [ManagedObjectID] = []
    /// All changed objects.
    public var updated: [ManagedObjectID] = []
    /// All deleted objects.
    public var deleted: [ManagedObjectID] = []
    /// All changes; nil when there were too many to keep.
    public var changes: BatchChanges? = BatchChanges()
}

/// The changes of a batch: the objects and their previous rows.
public struct BatchChanges: Sendable {
    /// New objects.
    public var inserted: [ManagedObjectID] = []
    /// The previous rows of changed objects.
    public var updated: [Row] = []
    /// The previous rows of deleted objects.
    public var deleted: [Row] = []
    /// Pairs that were added with new objects, or removed with deleted ones.
    public var edges: [EdgeChange] = []

    /// The largest number of objects and pairs to keep. A context merges about so many faster than
    /// it reloads its objects.
    static let mostKept = 1_000
}

/// Collects the changes of a batch.
struct BatchRecord {
    private(set) var outcome = BatchOutcome()
    private let keepsObjectIDs: Bool
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private var keptCount = 0
    /// Objects already recorded as changed, so that only their first previous row is kept.
    private var known: Set<ManagedObjectID> = []

    init(of store: any PersistentStore, keepsObjectIDs: Bool) {
        model = store.model
        self.store = store.handle
        self.keepsObjectIDs = keepsObjectIDs
        // A batch does not record the objects whose derived attributes it changes.
        if !model.derivations.isEmpty { outcome.changes = nil }
    }

    private func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }

    /// Whether only the number of objects is needed.
    var isOnlyCounted: Bool { outcome.changes == nil && !keepsObjectIDs }

    /// Records an object of the request.
    mutating func noteResult(_ id: ManagedObjectID) {
        outcome.count += 1
        if keepsObjectIDs { outcome.objectIDs.append(id) }
    }

    /// Records objects of which only the number is known.
    mutating func noteResults(_ count: Int) {
        outcome.count += count
        outcome.changes = nil
    }

    mutating func noteInsertion(_ row: Row) {
        let id = id(of: row)
        if keepsObjectIDs { outcome.inserted.append(id) }
        if isKept(id) { outcome.changes?.inserted.append(id) }
    }

    mutating func noteUpdate(of base: Row) {
        let id = id(of: base)
        if keepsObjectIDs { outcome.updated.append(id) }
        if isKept(id) { outcome.changes?.updated.append(base) }
    }

    mutating func noteDeletion(of base: Row) {
        let id = id(of: base)
        if keepsObjectIDs { outcome.deleted.append(id) }
        if isKept(id) { outcome.changes?.deleted.append(base) }
    }

    mutating func noteRemoval(of pairs: [EdgeChange.Edge], _ relationship: RelationshipID) {
        if pairs.isEmpty || !makeRoom(for: pairs.count) { return }
        outcome.changes?.edges.append(EdgeChange(relationship: relationship, removed: pairs))
    }

    mutating func noteAddition(of edges: [EdgeChange]) {
        for edge in edges where makeRoom(for: edge.added.count) {
            outcome.changes?.edges.append(edge)
        }
    }

    mutating func end(_ generation: StoreGeneration?) { outcome.generation = generation }

    private mutating func isKept(_ id: ManagedObjectID) -> Bool {
        outcome.changes != nil && known.insert(id).inserted && makeRoom(for: 1)
    }

    private mutating func makeRoom(for count: Int) -> Bool {
        if outcome.changes == nil { return false }
        keptCount += count
        if keptCount <= BatchChanges.mostKept { return true }
        outcome.changes = nil
        known = []
        return false
    }
}
