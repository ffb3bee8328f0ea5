import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation
import Synchronization

/// A store in an SQLite file with the layout of Core Data.
///
/// One connection writes, under a lock that all processes share. Any number of readers each hold
/// one unchanging state. Readers and the writer do not wait for each other.
final class SQLiteStore: PersistentStore, MaintainingStore, BatchWritingStore, HistoryTrackingStore,
    ChangeObservingStore, SchemaMigratingStore, EngineReporting
{
    typealias Snapshot = SQLiteSnapshot

    private let core: StoreCore
    private let readers: ReaderPool
    private let writer: StoreWriter?
    private let indexes: IndexKeeper?

    /// The identity under which the store is registered as open.
    private let registration: UUID

    /// - Parameters:
    ///   - registration: The identity under which the store is registered as open.
    ///   - core: The shared parts of the store.
    ///   - readers: The readers.
    ///   - writer: The writer; nil for a store that is opened for reading only.
    ///   - indexes: The deferred indexes; nil for a store that is opened for reading only.
    init(
        registration: UUID, core: StoreCore, readers: ReaderPool, writer: StoreWriter?,
        indexes: IndexKeeper?
    ) {
        self.indexes = indexes
        self.registration = registration
        self.core = core
        self.readers = readers
        self.writer = writer
    }

    deinit { closeFiles() }

    var model: ManagedObjectModel { core.schema.model }
    var handle: StoreHandle { core.schema.store }
    var capabilities: StoreCapabilities {
        [
            .durable, .maintenance, .batches, .history, .changeObservation, .derivedAttributes,
            .schemaMigration,
        ]
    }
    var counters: StoreCounters { core.counters }

    func metadata() throws(StoreError) -> StoreMetadata {
        let snapshot = try readers.snapshot()
        return try snapshot.reader.mutex.withLock { (_) throws(StoreError) in
            try MetadataTable(connection: snapshot.reader.source.connection).metadata()
        }
    }

    func snapshot() throws(StoreError) -> SQLiteSnapshot { try readers.snapshot() }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writable().allocateKeys(count, for: entity)
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let writer = try writable()
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            throw Cancellation.error
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
            throw Cancellation.error
        }
        prepareToDerive()
        let generation = try writer.writeBatch(heading, readers.snapshot, body)
        if let generation { deleteOldHistory(after: generation) }
        return generation
    }

    /// Creates the indexes for finding the objects on which derived attributes depend.
    private func prepareToDerive() {
        guard let derived = core.derived, !derived.toManys.isEmpty else { return }
        indexes?.need(
            derived.toManys.flatMap {
                DestinationRequest(core: core, relationship: $0).comparedToOnes
            }, on: try readers.snapshot())
    }

    private func deleteOldHistory(after generation: StoreGeneration) {
        deleteOldHistory(
            after: generation, seconds: core.settings.historySeconds, core.settings.clock)
    }

    // MARK: - History

    func beginHistory() throws(StoreError) {
        let isThere = try readers.withNewest { (source, _) throws(StoreError) in
            try HistoryTables.exist(source.connection)
        }
        if !isThere { try writable().beginHistory() }
    }

    func historyExtent() throws(StoreError) -> HistoryExtent? {
        try readers.withNewest { (source, generation) throws(StoreError) in
            try HistoryReader(source, generation: generation)?.extent
        }
    }

    func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try readers.withNewest { (source, generation) throws(StoreError) in
            guard let reader = try HistoryReader(source, generation: generation) else {
                throw StoreError.historyMissing(core.path)
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
        try readers.withNewest { (source, _) throws(StoreError) in
            try source.connection.historyConsumers()
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
        let snapshot = try readers.snapshot()
        guard core.hasOwnTables else { return nil }
        let bytes = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        return try snapshot.withSource { (source) throws(StoreError) in
            try source.connection.integer(
                "SELECT Z_PK FROM DURAMEN_SAVE WHERE ZIDENTIFIER = ?", .bytes(bytes)
            ).map { StoreGeneration(rawValue: $0) }
        }
    }

    func pushdown(for query: StoreQuery) -> Pushdown {
        QueryCompiler(core).pushdown(for: query)
    }

    func maintain() throws(StoreError) -> MaintenanceReport {
        try deleteOldHistory(seconds: core.settings.historySeconds, core.settings.clock)
        let report = try writable().maintain(indexes?.missingStatements ?? [])
        indexes?.noteAllMade()
        readers.releaseMemory()
        return report
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try writable().setUserInfo(userInfo)
    }

    /// Every commit writes to the log, and every checkpoint to the file.
    func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        try core.checkUsable()
        let name = StorePath.name(of: core.path)
        let names = Set([name, name + "-wal"].map { StoredText($0) })
        return FileEvents.observe(
            folder: StorePath.folder(of: core.path), { names.contains(StoredText($0)) }, body)
    }

    func migrate(_ work: MigrationWork) throws(StoreError) {
        let writer = try writable()
        if OpenStoreFile.openCount(of: registration) > 1 {
            throw StoreError.openElsewhere(core.path)
        }
        try MetadataTable.check(
            core.appleVersionHashes, are: work.change.target, path: core.path)
        if core.schema.isOwnFile {
            try writer.migrate(work)
        } else {
            try AdoptedMigration(work: work, store: self, core: core, writer: writer).run()
        }
        closeFiles(isSpent: true)
    }

    func migrate(through copy: WorkingCopy) throws(StoreError) {
        let writer = try writable()
        if OpenStoreFile.openCount(of: registration) > 1 {
            throw StoreError.openElsewhere(core.path)
        }
        try CopyMigration(copy: copy, core: core, writer: writer).run()
        closeFiles(isSpent: true)
    }

    func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate {
        try readers.snapshot().withSource { (source) throws(StoreError) in
            try MigrationForecast(
                connection: source.connection, change: change, old: core.schema
            ).estimate()
        }
    }

    /// True for Core Data's files, because Core Data cannot open a migrated file.
    var alwaysKeepsBackup: Bool { !core.schema.isOwnFile }

    func close() throws(StoreError) {
        try core.process.check(core.path)
        closeFiles()
    }

    func setting(_ name: String) throws(StoreError) -> Int64? { try writable().setting(name) }

    private func writable() throws(StoreError) -> StoreWriter {
        try core.checkUsable()
        guard let writer else {
            throw StoreError(.readOnly, "'\(core.path)' was opened for reading only.")
        }
        return writer
    }

    /// - Parameter isSpent: Whether the file was migrated to another model.
    private func closeFiles(isSpent: Bool = false) {
        // A child made by fork does not touch what its parent opened.
        if core.process.isInherited { return }
        guard !core.isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        readers.close()
        writer?.close(making: isSpent ? nil : indexes?.missingStatements ?? [])
        OpenStoreFile.removeStore(registration)
    }
}
