import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// A store in an LMDB environment: ordered keys and values, read from the memory map without
/// copying the file.
///
/// One thread of one process writes at a time, under a lock that all processes share. Any number of
/// readers each hold one unchanging state. Readers and the writer do not wait for each other.
final class LMDBStore: PersistentStore, MaintainingStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore
{
    typealias Snapshot = LMDBSnapshot

    /// The identity under which the store is registered as open.
    private let registration: UUID
    private let schema: StoreSchema
    private let pool: SnapshotPool
    private let writer: StoreWriter?
    /// How long transactions are kept in a history, in seconds; nil to keep them until they are
    /// deleted.
    private let historySeconds: Double?
    private let folder: StoreFolder

    /// - Parameters:
    ///   - registration: The identity under which the store is registered as open.
    ///   - schema: The schema of the store.
    ///   - pool: The readers.
    ///   - writer: The writer; nil for a store that is opened for reading only.
    ///   - folder: The folder of the store.
    ///   - historySeconds: How long transactions are kept in a history; nil to keep all.
    init(
        registration: UUID, schema: StoreSchema, pool: SnapshotPool, writer: StoreWriter?,
        folder: StoreFolder, historySeconds: Double?
    ) {
        self.folder = folder
        self.historySeconds = historySeconds
        self.registration = registration
        self.schema = schema
        self.pool = pool
        self.writer = writer
    }

    deinit { end() }

    var model: ManagedObjectModel { schema.model }
    var handle: StoreHandle { schema.handle }
    var capabilities: StoreCapabilities {
        [
            .durable, .maintenance, .batches, .history, .changeObservation, .derivedAttributes,
            .schemaMigration,
        ]
    }
    var counters: StoreCounters { schema.counters }

    func metadata() throws(StoreError) -> StoreMetadata {
        try snapshot().withRows { (rows) throws(StoreError) in
            try MetaTable(transaction: rows.transaction, table: schema.tables.meta).metadata()
        }
    }

    func snapshot() throws(StoreError) -> LMDBSnapshot {
        try schema.checkOpen()
        return try pool.snapshot()
    }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writable().allocateKeys(count, for: entity)
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let writer = try writable()
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            throw StoreWriter.cancelled
        }
        prepareToDerive()
        let outcome = try writer.save(changes)
        if case .saved(let receipt) = outcome { deleteOldHistory(after: receipt.generation) }
        return outcome
    }

    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        let writer = try writable()
        if let cancellation = heading.cancellation, cancellation.isCancelled {
            throw StoreWriter.cancelled
        }
        prepareToDerive()
        let generation = try writer.writeBatch(heading, snapshot, body)
        if let generation { deleteOldHistory(after: generation) }
        return generation
    }

    /// Creates the indexes for finding the objects on which derived attributes depend.
    private func prepareToDerive() {
        guard let derived = schema.derived, !derived.toManys.isEmpty else { return }
        pool.indexes?.need(
            derived.toManys.compactMap { schema.toManyIndexes[$0.index] }, on: try snapshot())
    }

    private func deleteOldHistory(after generation: StoreGeneration) {
        guard let writer else { return }
        deleteOldHistory(after: generation, seconds: historySeconds, writer.clock)
    }

    // MARK: - History

    func beginHistory() throws(StoreError) {
        if try historyExtent() == nil { try writable().beginHistory() }
    }

    func historyExtent() throws(StoreError) -> HistoryExtent? {
        try pool.withNewest { (transaction) throws(StoreError) in
            try HistoryReader(transaction, schema)?.extent
        }
    }

    func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        schema.counters.noteStatement()
        return try pool.withNewest { (transaction) throws(StoreError) in
            guard let reader = try HistoryReader(transaction, schema) else {
                throw StoreError.historyMissing(schema.path)
            }
            return try reader.transactions(request)
        }
    }

    func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try writable().deleteHistory(deletion)
    }

    func historyConsumers() throws(StoreError) -> [HistoryConsumer] {
        try pool.withNewest { (transaction) throws(StoreError) in
            guard let table = schema.tables.history else { return [] }
            return try HistoryTable(transaction, table).consumers()
        }
    }

    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try writable().setHistoryConsumer(
            named: name, at: transactionNumber, leaseSeconds: leaseSeconds)
    }

    func removeHistoryConsumer(named name: String) throws(StoreError) {
        try writable().removeHistoryConsumer(named: name)
    }

    // MARK: - Other requirements

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try snapshot().withRows { (rows) throws(StoreError) in
            try SaveLog(schema, rows.transaction).generation(of: identifier)
        }
    }

    /// Accepts all conditions, which an index or a check of rows evaluates, and an order if an
    /// index has it.
    func pushdown(for query: StoreQuery) -> Pushdown {
        guard model.entities.indices.contains(query.entity.index) else { return .none(for: query) }
        if let question = try? Question(query, schema: schema) { return question.pushdown }
        // A condition that does not fit the model is left for the library to reject.
        let entity = model[query.entity]
        return Pushdown(
            splitting: query,
            accepts: { (try? $0.bound(to: entity, in: model)) != nil },
            acceptsOrder: { $0.isEmpty })
    }

    func maintain() throws(StoreError) -> MaintenanceReport {
        let writer = try writable()
        try deleteOldHistory(seconds: historySeconds, writer.clock)
        _ = try writer.finishMigration(nil)
        return try writer.maintain()
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try writable().setUserInfo(userInfo)
    }

    /// Every commit writes a page of the single data file.
    func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        try schema.checkOpen()
        let data = StoredText(StorePath.name(of: folder.data))
        return FileEvents.observe(folder: folder.path, { StoredText($0) == data }, body)
    }

    func migrate(_ work: MigrationWork) throws(StoreError) {
        let writer = try writable()
        if OpenStoreFile.openCount(of: registration) > 1 {
            throw StoreError.openElsewhere(schema.path)
        }
        try writer.migrate(work)
        end()
    }

    func migrate(through copy: WorkingCopy) throws(StoreError) {
        let writer = try writable()
        if OpenStoreFile.openCount(of: registration) > 1 {
            throw StoreError.openElsewhere(schema.path)
        }
        try writer.migrate(through: copy) {
            schema.isClosed.store(true, ordering: .sequentiallyConsistent)
            pool.close()
            OpenStoreFile.removeStore(registration)
        }
    }

    func finishMigration(cancellation: CancellationFlag?) throws(StoreError) -> Int {
        try writable().finishMigration(cancellation)
    }

    func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate {
        try snapshot().withRows { (rows) throws(StoreError) in
            MigrationForecast(transaction: rows.transaction, change: change, old: schema)
                .estimate(fileBytes: rows.transaction.environment.usedBytes)
        }
    }

    func close() throws(StoreError) { end() }

    private func writable() throws(StoreError) -> StoreWriter {
        try schema.checkOpen()
        guard let writer else {
            throw StoreError(.readOnly, "'\(schema.path)' was opened for reading only.")
        }
        return writer
    }

    private func end() {
        // In a child made by fork everything belongs to the parent.
        if schema.process.isInherited { return }
        guard !schema.isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        writer?.close()
        pool.close()
        OpenStoreFile.removeStore(registration)
    }
}
