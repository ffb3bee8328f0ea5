public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation
import HashTreeCollections
import Synchronization

/// The reference store: rows in memory, written for clarity.
///
/// States are persistent structures, so a snapshot is one copied value. A query is answered by a walk through
/// the rows where they lie, in the order of their keys; only results are copied. Other stores are tested
/// against this one.
public final class MemoryStore: PersistentStore, BatchWritingStore {
    /// The model that the store was opened with.
    public let model: ManagedObjectModel
    /// The store's number in this process.
    public let handle: StoreHandle
    /// Counts of work done.
    public let counters = StoreCounters()

    private let database: MemoryDatabase
    private let isReadOnly: Bool
    private let closed = Atomic<Bool>(false)

    init(_ database: MemoryDatabase, model: ManagedObjectModel, isReadOnly: Bool) {
        self.database = database
        self.model = model
        self.isReadOnly = isReadOnly
        handle = StoreHandle(uuid: database.uuid)
    }

    /// What is saved ends with the process.
    public var capabilities: StoreCapabilities { [.batches] }

    /// Reads the metadata as last committed.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try stopIfClosed()
        return database.metadata()
    }

    /// Copies the newest state, in constant time.
    public func snapshot() throws(StoreError) -> MemorySnapshot {
        try stopIfClosed()
        return snapshot(of: database.state)
    }

    private func snapshot(of state: MemoryState) -> MemorySnapshot {
        counters.noteSnapshot()
        return MemorySnapshot(state, model: model, store: handle, counters: counters)
    }

    /// Hands out the next keys of the entity's hierarchy.
    public func allocateKeys(
        _ count: Int, for entity: EntityID
    ) throws(StoreError) -> Range<Int64> {
        try stopIfClosed()
        try stopIfReadOnly()
        guard count >= 0, model.entities.indices.contains(entity.index) else {
            throw StoreError(
                .invalidRequest,
                "Keys are allocated for an entity of the model, zero or more at once.")
        }
        return try database.allocateKeys(count, root: model[entity].root)
    }

    /// Writes a change set, whole or not at all.
    public func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try stopIfClosed()
        try stopIfReadOnly()
        counters.noteStatement()
        return try database.save(changes)
    }

    /// Writes a batch, whole or not at all.
    public func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try stopIfClosed()
        try stopIfReadOnly()
        counters.noteStatement()
        return try database.writeBatch(heading, snapshot(of:), body)
    }

    /// The state that one of the last saves made; nil when it was not committed.
    public func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try stopIfClosed()
        return database.state.saves[identifier].map { StoreGeneration(rawValue: $0) }
    }

    /// Takes what fits the model: condition, order and window. A condition is taken whole or not at all, so that
    /// one too complex is refused in the same way wherever its parts stand.
    public func pushdown(for query: StoreQuery) -> Pushdown {
        guard model.entities.indices.contains(query.entity.index) else { return .none(for: query) }
        if let checked = try? MemoryQuery(query, model: model) {
            var query = query
            query.preparation = QueryPreparation(checked)
            return .whole(query)
        }
        let entity = model[query.entity]
        let fits = (try? query.predicate?.bound(to: entity, in: model)) != nil
        return Pushdown(
            splitting: query, accepts: { _ in fits },
            acceptsOrder: { order in
                order.isEmpty || (try? order.bound(to: entity, in: model)) != nil
            })
    }

    /// Ends the use of the store. The data of an unnamed store goes with it.
    public func close() { closed.store(true, ordering: .releasing) }

    private func stopIfClosed() throws(StoreError) {
        if closed.load(ordering: .acquiring) {
            throw StoreError(.closed, "The memory store was closed; open it again.")
        }
    }

    private func stopIfReadOnly() throws(StoreError) {
        if isReadOnly {
            throw StoreError(
                .readOnly,
                "The memory store was opened for reading only; open it without readOnly().")
        }
    }
}

extension MemoryDatabase {
    /// The metadata of the newest state.
    func metadata() -> StoreMetadata {
        var metadata = StoreMetadata(
            storeUUID: uuid, storeType: MemoryStoreType.typeName, model: model)
        for (name, value) in state.userInfo { metadata.userInfo[name] = value }
        return metadata
    }
}
