public import DuramenModel
public import DuramenQuery
public import DuramenStore
public import Foundation

/// A store around another one that fails where a ``FaultPlan`` says so, and is honest otherwise.
///
/// It lacks the housekeeping of the store inside.
public final class FaultyStore: PersistentStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore
{
    /// The store inside.
    public let base: any PersistentStore
    private let plan: FaultPlan

    /// Wraps an open store.
    public init(_ base: any PersistentStore, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The model of the store inside.
    public var model: ManagedObjectModel { base.model }
    /// The number of the store inside, so that object IDs are the same.
    public var handle: StoreHandle { base.handle }
    /// The capabilities of the wrapped store, except housekeeping.
    public var capabilities: StoreCapabilities { base.capabilities.subtracting(.maintenance) }
    /// The counts of the store inside.
    public var counters: StoreCounters { base.counters }

    /// Reads the metadata, or fails.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try plan.perform(.metadata) { () throws(StoreError) in try base.metadata() }
    }

    /// Takes a snapshot that fails where the plan says so, or fails.
    public func snapshot() throws(StoreError) -> FaultySnapshot {
        FaultySnapshot(
            try plan.perform(.snapshot) { () throws(StoreError) -> any StoreSnapshot in
                try base.snapshot()
            }, plan: plan)
    }

    /// Hands out keys, or fails.
    public func allocateKeys(
        _ count: Int, for entity: EntityID
    ) throws(StoreError) -> Range<Int64> {
        try plan.perform(.allocateKeys) { () throws(StoreError) in
            try base.allocateKeys(count, for: entity)
        }
    }

    /// Saves, or fails, having saved or not.
    public func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try plan.perform(.save) { () throws(StoreError) in
            plan.comparesVersions ? try base.save(changes) : try saveWithoutComparing(changes)
        }
    }

    /// Calls whatever is stored the base of the changes.
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
            // Unique values still conflict, and so do rows that are gone.
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

    /// Writes a batch, or fails, having written it or not; its parts fail where the plan says so
    /// too.
    public func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try plan.perform(.save) { () throws(StoreError) in
            try base.batchWriting().writeBatch(heading) { transaction throws(StoreError) in
                try body(FaultyBatch(transaction, plan: plan))
            }
        }
    }

    /// Observes the store inside.
    public func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? { try base.observing?.observeChanges(body) }

    /// Begins a history, or fails.
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

    /// Reads transactions, or fails.
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

    /// Deletes transactions, or fails, having deleted them or not.
    public func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().deleteHistory(deletion)
        }
    }

    /// Changes the model, or fails, having changed it or not.
    public func migrate(_ work: MigrationWork) throws(StoreError) {
        try plan.perform(.migrate) { () throws(StoreError) in
            guard let base = base as? any SchemaMigratingStore else {
                throw StoreError(.unsupported, "The store inside cannot be migrated.")
            }
            try base.migrate(work)
        }
    }

    /// Changes the model by way of a copy, or fails, having changed it or not.
    public func migrate(through copy: WorkingCopy) throws(StoreError) {
        try plan.perform(.migrate) { () throws(StoreError) in
            guard let base = base as? any SchemaMigratingStore else {
                throw StoreError(.unsupported, "The store inside cannot be migrated.")
            }
            try base.migrate(through: copy)
        }
    }

    /// Lists consumers, or fails.
    public func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().historyConsumers()
        }
    }

    /// Moves a consumer, or fails, having moved it or not.
    public func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().setHistoryConsumer(
                named: name, at: transactionNumber, leaseSeconds: leaseSeconds)
        }
    }

    /// Forgets a consumer, or fails, having forgotten it or not.
    public func removeHistoryConsumer(named name: String) throws(StoreError) {
        try plan.perform(.history) { () throws(StoreError) in
            try base.historyTracking().removeHistoryConsumer(named: name)
        }
    }

    /// Finds a save, or fails.
    public func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try plan.perform(.generation) { () throws(StoreError) in
            try base.generation(ofSave: identifier)
        }
    }

    /// Returns the pushdown of the wrapped store.
    public func pushdown(for query: StoreQuery) -> Pushdown { base.pushdown(for: query) }

    /// Closes the store inside, or fails.
    public func close() throws(StoreError) {
        try plan.perform(.close) { () throws(StoreError) in try base.close() }
    }
}

/// The transaction of a batch that fails where a ``FaultPlan`` says so.
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

/// A snapshot that fails where a ``FaultPlan`` says so.
public final class FaultySnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let plan: FaultPlan

    init(_ base: any StoreSnapshot, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The state that the snapshot inside shows.
    public var generation: StoreGeneration { base.generation }

    /// Reads rows, or fails.
    public func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try plan.perform(.rows) { () throws(StoreError) in try base.rows(for: ids) }
    }

    /// Returns the destinations of to-manys, or fails.
    public func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try plan.perform(.destinations) { () throws(StoreError) in
            try base.destinations(of: relationship, from: sources)
        }
    }

    /// Returns the destinations of ordered to-manys, or fails.
    public func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try plan.perform(.destinations) { () throws(StoreError) in
            try base.orderedDestinations(of: relationship, from: sources)
        }
    }

    /// Makes a cursor that fails where the plan says so, or fails.
    public func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        FaultyCursor(
            try plan.perform(.cursor) { () throws(StoreError) -> any StoreCursor in
                try base.cursor(query)
            }, plan: plan)
    }

    /// Finds IDs, or fails.
    public func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try plan.perform(.objectIDs) { () throws(StoreError) in try base.objectIDs(query) }
    }

    /// Counts, or fails.
    public func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try plan.perform(.count) { () throws(StoreError) in try base.count(query) }
    }
}

extension FaultySnapshot: AggregatingSnapshot {
    /// Makes groups where the snapshot inside does, or fails.
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

/// The type of stores that fail where a plan says so, for tests of opening and reopening.
public struct FaultyStoreType: PersistentStoreType {
    private let base: any PersistentStoreType
    private let plan: FaultPlan

    /// Wraps a type.
    public init(_ base: any PersistentStoreType, plan: FaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The name of the type inside, with `faulty-` before it.
    public var name: String { "faulty-\(base.name)" }

    /// Opens a store of the type inside, or fails.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        FaultyStore(
            try plan.perform(.open) { () throws(StoreError) -> any PersistentStore in
                try base.open(description, model: model)
            }, plan: plan)
    }

    /// Reads the metadata of a store of the type inside.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata { try base.metadata(of: description) }

    /// Reads the model that a store of the type inside keeps.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        try base.storedModel(
            of: description, codableTypes: codableTypes, transformers: transformers)
    }

    /// Replaces the application's metadata entries of a store of the type inside.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) { try base.setUserInfo(userInfo, of: description) }

    /// Takes a store of the type inside away.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try base.destroy(description)
    }

    /// Replaces a store of the type inside.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) { try base.replace(destination, with: source) }

    /// Copies a store of the type inside.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) { try base.copy(source, to: destination) }
}
