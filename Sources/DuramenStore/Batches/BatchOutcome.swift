public import DuramenModel

/// The result of a batch.
public struct BatchOutcome: Sendable {
    /// The state that the batch made; nil when there was nothing to do.
    public var generation: StoreGeneration?
    /// The number of objects that the batch inserted or updated, or was asked to delete.
    public var count = 0
    /// The objects that ``count`` counts, in the order in which they were found; empty unless they
    /// were asked for.
    public var objectIDs: [ManagedObjectID] = []
    /// All new objects; empty unless they were asked for, and so are the next two.
    public var inserted: [ManagedObjectID] = []
    /// All changed objects.
    public var updated: [ManagedObjectID] = []
    /// All deleted objects.
    public var deleted: [ManagedObjectID] = []
    /// All that changed; nil when it was too much to keep.
    public var changes: BatchChanges? = BatchChanges()
}

/// The changes of a batch: the previous rows, and the objects that they belong to.
public struct BatchChanges: Sendable {
    /// New objects.
    public var inserted: [ManagedObjectID] = []
    /// Changed objects, with what they had.
    public var updated: [Row] = []
    /// Deleted objects, with what they had.
    public var deleted: [Row] = []
    /// Pairs that came with new objects, or went with deleted ones.
    public var edges: [EdgeChange] = []

    /// As many objects and pairs are kept: about those that a context merges faster than it reads
    /// anew.
    static let mostKept = 1_000
}

/// Collects what a batch does.
struct BatchRecord {
    private(set) var outcome = BatchOutcome()
    private let keepsObjectIDs: Bool
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private var keptCount = 0
    /// Objects that are noted as changed, so that what they had is the first that is told.
    private var known: Set<ManagedObjectID> = []

    init(of store: any PersistentStore, keepsObjectIDs: Bool) {
        model = store.model
        self.store = store.handle
        self.keepsObjectIDs = keepsObjectIDs
        // Objects that a batch changes by what is derived are noted nowhere.
        if !model.derivations.isEmpty { outcome.changes = nil }
    }

    private func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }

    /// Whether nothing is to be kept but how many objects there were.
    var isOnlyCounted: Bool { outcome.changes == nil && !keepsObjectIDs }

    /// Notes an object that the request was about.
    mutating func noteResult(_ id: ManagedObjectID) {
        outcome.count += 1
        if keepsObjectIDs { outcome.objectIDs.append(id) }
    }

    /// Notes objects of which nothing but the number is known.
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
