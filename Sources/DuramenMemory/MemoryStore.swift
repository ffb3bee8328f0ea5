public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation
import HashTreeCollections
import Synchronization

/// The reference store: rows in memory, written for clarity.
///
/// States are persistent structures, so a snapshot is one copied value. A query iterates over the
/// rows in the order of their keys, and copies only results. Other stores are tested against this
/// one.
public final class MemoryStore: PersistentStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore
{
    /// The model that the store was opened with.
    public let model: ManagedObjectModel
    /// The number of the store in this process.
    public let handle: StoreHandle
    /// Counts of work done, for tests and diagnostics.
    public let counters = StoreCounters()

    private let database: MemoryDatabase
    private let description: PersistentStoreDescription
    private let closed = Atomic<Bool>(false)

    init(
        _ database: MemoryDatabase, model: ManagedObjectModel,
        _ description: PersistentStoreDescription
    ) {
        self.database = database
        self.model = model
        self.description = description
        handle = StoreHandle(uuid: database.uuid)
    }

    /// The capabilities of the store. It is not durable: its data ends with the process. A store
    /// without a name is discarded when it is closed, and is therefore never migrated.
    public var capabilities: StoreCapabilities {
        let all: StoreCapabilities = [
            .batches, .history, .changeObservation, .derivedAttributes,
        ]
        return description.location.isEmpty ? all : all.union(.schemaMigration)
    }

    /// Returns the last committed metadata.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try stopIfClosed()
        return database.metadata()
    }

    /// Returns a snapshot of the newest state, in constant time.
    public func snapshot() throws(StoreError) -> MemorySnapshot {
        try stopIfClosed()
        return snapshot(of: database.state)
    }

    func snapshot(of state: MemoryState) -> MemorySnapshot {
        counters.noteSnapshot()
        return MemorySnapshot(
            state, model: model, store: handle, counters: counters, database: database)
    }

    /// Allocates the next keys of the entity's hierarchy.
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
        let outcome = try database.save(changes, at: description.clock.date)
        if case .saved(let receipt) = outcome { deleteOldHistory(after: receipt.generation) }
        return outcome
    }

    /// Writes a batch, whole or not at all.
    public func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try stopIfClosed()
        try stopIfReadOnly()
        counters.noteStatement()
        let generation = try database.writeBatch(
            heading, at: description.clock.date, snapshot(of:), body)
        if let generation { deleteOldHistory(after: generation) }
        return generation
    }

    private func deleteOldHistory(after generation: StoreGeneration) {
        deleteOldHistory(
            after: generation, seconds: description.historySeconds, description.clock)
    }

    /// Returns the state that a recent save created, or nil if the save was not committed.
    public func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try stopIfClosed()
        return database.state.saves[identifier].map { StoreGeneration(rawValue: $0) }
    }

    /// Starts a history, unless there is one.
    public func beginHistory() throws(StoreError) {
        try stopIfClosed()
        try stopIfReadOnly()
        database.change { $0.history = $0.history ?? MemoryHistory(after: $0.generation) }
    }

    /// Returns the range of transactions that the history contains, or nil if it was never started.
    public func historyExtent() throws(StoreError) -> HistoryExtent? {
        try stopIfClosed()
        let state = database.state
        return state.history?.extent(state.generation)
    }

    /// Returns transactions, oldest first.
    public func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try stopIfClosed()
        let state = database.state
        guard let history = state.history else { throw StoreError.historyMissing(name) }
        try history.extent(state.generation).check(after: request.after, path: name)
        counters.noteStatement()
        return history.transactions(request)
    }

    /// Deletes the oldest transactions that no live consumer needs.
    @discardableResult
    public func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try stopIfClosed()
        try stopIfReadOnly()
        counters.noteStatement()
        let now = description.clock.date()
        let outcome = database.change { $0.history?.delete(deletion, at: now) }
        guard let outcome else { throw StoreError.historyMissing(name) }
        return outcome
    }

    /// Returns the consumers for which transactions are kept, by name.
    public func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        try stopIfClosed()
        return (database.state.history?.consumers.values).map { consumers in
            consumers.sorted { StoredText($0.name) < StoredText($1.name) }
        } ?? []
    }

    /// Adds a consumer, or moves an existing consumer with this name and renews its lease.
    public func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try stopIfClosed()
        try stopIfReadOnly()
        try HistoryConsumer.checkLease(leaseSeconds)
        let consumer = HistoryConsumer(
            name: name, transactionNumber: transactionNumber, leaseSeconds: leaseSeconds,
            renewedAt: description.clock.date())
        let isThere = database.change { state -> Bool in
            state.history?.consumers[StoredText(name)] = consumer
            return state.history != nil
        }
        if !isThere { throw StoreError.historyMissing(self.name) }
    }

    /// Removes a consumer. An unknown name is ignored.
    public func removeHistoryConsumer(named name: String) throws(StoreError) {
        try stopIfClosed()
        try stopIfReadOnly()
        database.change { $0.history?.consumers[StoredText(name)] = nil }
    }

    private var name: String {
        description.location.isEmpty ? "The memory store" : description.location
    }

    /// Starts to observe the store, and all others of its name.
    public func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        try stopIfClosed()
        return database.observe(body)
    }

    /// Accepts the condition, order and window that fit the model. A condition is accepted as a
    /// whole or not at all, so that a too complex condition always fails in the same way.
    public func pushdown(for query: StoreQuery) -> Pushdown {
        guard model.entities.indices.contains(query.entity.index) else { return .none(for: query) }
        if let checked = try? MemoryQuery(query, model: model) {
            return .whole(query, preparation: checked)
        }
        let entity = model[query.entity]
        let fits = (try? query.predicate?.bound(to: entity, in: model)) != nil
        return Pushdown(
            splitting: query, accepts: { _ in fits },
            acceptsOrder: { order in
                order.isEmpty || (try? order.bound(to: entity, in: model)) != nil
            })
    }

    /// Migrates the store of this name to another version of its model. A store without a name is
    /// never migrated, since it ends with its last user.
    public func migrate(_ work: MigrationWork) throws(StoreError) {
        try stopIfClosed()
        try stopIfReadOnly()
        try MemoryStoreType.replace(
            description.location,
            by: try database.migrated(
                by: work, of: self, path: name, at: description.clock.date()))
        close()
    }

    /// Migrates a copy under another name, and gives the copy this name.
    public func migrate(through copy: WorkingCopy) throws(StoreError) {
        try stopIfClosed()
        try stopIfReadOnly()
        try copy.begin()
        let type = MemoryStoreType()
        let base = database.state.generation
        try type.copy(copy.original, to: copy.description)
        defer { try? type.destroy(copy.description) }
        try copy.run()
        let made = try MemoryStoreType.database(named: copy.description.location)
        try database.end(ifStillAt: base, copy) { () throws(StoreError) in
            try MemoryStoreType.replace(description.location, by: made)
        }
        close()
    }

    /// Closes the store. The data of an unnamed store is discarded.
    public func close() { closed.store(true, ordering: .releasing) }

    private func stopIfClosed() throws(StoreError) {
        if closed.load(ordering: .acquiring) {
            throw StoreError(.closed, "The memory store was closed; open it again.")
        }
        try database.stopIfSpent(name)
    }

    private func stopIfReadOnly() throws(StoreError) {
        if description.isReadOnly {
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
            storeUUID: uuid, storeType: MemoryStoreType.typeName, model: keptModel)
        for (name, value) in state.userInfo { metadata.userInfo[name] = value }
        metadata.migrations = migrations
        return metadata
    }
}
