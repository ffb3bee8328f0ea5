public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation

/// A wrapper of a store that fails according to a ``FaultPlan``, and is correct otherwise.
///
/// It does not have the housekeeping of the wrapped store.
public final class FaultyStore: PersistentStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore, GroupSavingStore
{
    /// The wrapped store.
    public let base: any PersistentStore
    let plan: FaultPlan

    /// Wraps an open store.
    public init(_ base: any PersistentStore, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The model of the wrapped store.
    public var model: ManagedObjectModel { base.model }
    /// The number of the wrapped store, so that object IDs are equal.
    public var handle: StoreHandle { base.handle }
    /// The capabilities of the wrapped store, except housekeeping, and those that the plan adds.
    public var capabilities: StoreCapabilities {
        let own = base.capabilities.subtracting(.maintenance)
        return plan.groupsSaves ? own.union(.groupSaves) : own
    }
    /// The counts of the wrapped store.
    public var counters: StoreCounters { base.counters }

    /// Returns the metadata, or fails.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try plan.perform(.metadata) { () throws(StoreError) in try base.metadata() }
    }

    /// Returns a snapshot that follows the plan, or fails.
    public func snapshot() throws(StoreError) -> FaultySnapshot {
        FaultySnapshot(
            try plan.perform(.snapshot) { () throws(StoreError) -> any StoreSnapshot in
                try base.snapshot()
            }, plan: plan)
    }

    /// Allocates keys, or fails.
    public func allocateKeys(
        _ count: Int, for entity: EntityID
    ) throws(StoreError) -> Range<Int64> {
        try plan.perform(.allocateKeys) { () throws(StoreError) in
            try base.allocateKeys(count, for: entity)
        }
    }

    /// Saves, or fails before or after it.
    public func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try plan.perform(.save) { () throws(StoreError) in
            plan.comparesVersions ? try base.save(changes) : try saveWithoutComparing(changes)
        }
    }

    /// Bases the changes on the stored versions.
    private func saveWithoutComparing(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.checks = []
        while true {
            let outcome = try base.save(changes)
            guard case .conflicted(let conflicts) = outcome else { return outcome }
            var stored: [ManagedObjectID: RowVersion] = [:]
            for case .version(let conflict) in conflicts {
                stored[conflict.id] = conflict.storedRow?.version
            }
            // Unique values still conflict, and so do deleted rows.
            if stored.isEmpty { return outcome }
            for place in changes.updates.indices {
                let id = changes.updates[place].row.objectID(in: model, store: handle)
                if let version = stored[id] { changes.updates[place].baseVersion = version }
            }
            for place in changes.deletes.indices {
                let version = stored[changes.deletes[place].id]
                if let version { changes.deletes[place].baseVersion = version }
            }
        }
    }

    /// Writes a batch, or fails before or after it; its parts follow the plan too.
    public func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try plan.perform(.save) { () throws(StoreError) in
            try base.batchWriting().writeBatch(heading) { transaction throws(StoreError) in
                try body(FaultyBatch(transaction, plan: plan))
            }
        }
    }

    /// Starts to observe the wrapped store.
    public func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? { try base.observing?.observeChanges(body) }

    /// Starts a history, or fails.
    public func beginHistory() throws(StoreError) {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().beginHistory()
        }
    }

    /// Returns the range of transactions in the history, or fails.
    public func historyExtent() throws(StoreError) -> HistoryExtent? {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().historyExtent()
        }
    }

    /// Returns transactions, or fails.
    public func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try plan.perform(.history) { () throws(StoreError) in
            var request = request
            if plan.repeatsHistory, let extent = try base.historyTracking().historyExtent() {
                request.after = extent.deletedThrough
            }
            return try base.historyTracking().history(request)
        }
    }

    /// Deletes transactions, or fails before or after it.
    public func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().deleteHistory(deletion)
        }
    }

    /// Migrates the store, or fails before or after it.
    public func migrate(_ work: MigrationWork) throws(StoreError) {
        try plan.perform(.migrate) { () throws(StoreError) in
            guard let base = base as? any SchemaMigratingStore else {
                throw StoreError(.unsupported, "The store inside cannot be migrated.")
            }
            try base.migrate(work)
        }
    }

    /// Migrates the store through a copy, or fails before or after it.
    public func migrate(through copy: WorkingCopy) throws(StoreError) {
        try plan.perform(.migrate) { () throws(StoreError) in
            guard let base = base as? any SchemaMigratingStore else {
                throw StoreError(.unsupported, "The store inside cannot be migrated.")
            }
            try base.migrate(through: copy)
        }
    }

    /// Returns the consumers, or fails.
    public func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().historyConsumers()
        }
    }

    /// Adds or moves a consumer, or fails before or after it.
    public func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().setHistoryConsumer(
                named: name, at: transactionNumber, leaseSeconds: leaseSeconds)
        }
    }

    /// Removes a consumer, or fails before or after it.
    public func removeHistoryConsumer(named name: String) throws(StoreError) {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().removeHistoryConsumer(named: name)
        }
    }

    /// Returns the state of a save, or fails.
    public func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try plan.perform(.generation) { () throws(StoreError) in
            try base.generation(ofSave: identifier)
        }
    }

    /// Returns the pushdown of the wrapped store.
    public func pushdown(for query: StoreQuery) -> Pushdown { base.pushdown(for: query) }

    /// Closes the wrapped store, or fails.
    public func close() throws(StoreError) {
        try plan.perform(.close) { () throws(StoreError) in try base.close() }
    }
}

/// The transaction of a batch that follows a ``FaultPlan``.
private final class FaultyBatch: BatchTransaction {
    private let inner: any BatchTransaction
    private let plan: FaultPlan

    init(_ inner: any BatchTransaction, plan: FaultPlan) {
        self.inner = inner
        self.plan = plan
    }

    var base: any StoreSnapshot { FaultySnapshot(inner.base, plan: plan) }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try plan.perform(.allocateKeys) { () throws(StoreError) in
            try inner.allocateKeys(count, for: entity)
        }
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        try plan.perform(.batchPart) { () throws(StoreError) in try inner.write(part) }
    }
}

/// A snapshot that follows a ``FaultPlan``.
public final class FaultySnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let plan: FaultPlan

    init(_ base: any StoreSnapshot, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The number of the wrapped snapshot's state.
    public var generation: StoreGeneration { base.generation }

    /// Returns rows, or fails.
    public func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try plan.perform(.rows) { () throws(StoreError) in try base.rows(for: ids) }
    }

    /// Returns the destinations of to-many relationships, or fails.
    public func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try plan.perform(.destinations) { () throws(StoreError) in
            try base.destinations(of: relationship, from: sources)
        }
    }

    /// Returns the destinations of ordered to-many relationships, or fails.
    public func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try plan.perform(.destinations) { () throws(StoreError) in
            try base.orderedDestinations(of: relationship, from: sources)
        }
    }

    /// Returns a cursor that follows the plan, or fails.
    public func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        FaultyCursor(
            try plan.perform(.cursor) { () throws(StoreError) -> any StoreCursor in
                try base.cursor(query)
            }, plan: plan)
    }

    /// Returns IDs, or fails.
    public func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try plan.perform(.objectIDs) { () throws(StoreError) in try base.objectIDs(query) }
    }

    /// Returns the number of results, or fails.
    public func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try plan.perform(.count) { () throws(StoreError) in try base.count(query) }
    }
}

extension FaultySnapshot: AggregatingSnapshot {
    /// Returns groups if the wrapped snapshot computes them, or fails.
    public func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        guard let base = base as? any AggregatingSnapshot else { return nil }
        return try plan.perform(.groups) { () throws(StoreError) in try base.groups(of: query) }
    }
}

private final class FaultyCursor: StoreCursor {
    private let base: any StoreCursor
    private let plan: FaultPlan

    init(_ base: any StoreCursor, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        try plan.perform(.next) { () throws(StoreError) in
            try base.next(maximumRows: maximumRows)
        }
    }
}

/// A kind of store that follows a plan, for tests of opening and reopening.
public struct FaultyStoreType: PersistentStoreType {
    private let base: any PersistentStoreType
    private let plan: FaultPlan

    /// Wraps a kind of store.
    public init(_ base: any PersistentStoreType, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The name of the wrapped kind, with the prefix `faulty-`.
    public var name: String { "faulty-\(base.name)" }

    /// Opens a store of the wrapped kind, or fails.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        FaultyStore(
            try plan.perform(.open) { () throws(StoreError) -> any PersistentStore in
                try base.open(description, model: model)
            }, plan: plan)
    }

    /// Returns the metadata of a store of the wrapped kind.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata { try base.metadata(of: description) }

    /// Returns the model that a store of the wrapped kind keeps.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        try base.storedModel(
            of: description, codableTypes: codableTypes, transformers: transformers)
    }

    /// Replaces the application's metadata entries of a store of the wrapped kind.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) { try base.setUserInfo(userInfo, of: description) }

    /// Deletes a store of the wrapped kind.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try base.destroy(description)
    }

    /// Replaces a store of the wrapped kind.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) { try base.replace(destination, with: source) }

    /// Copies a store of the wrapped kind.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) { try base.copy(source, to: destination) }
}
