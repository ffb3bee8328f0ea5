import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation
import Synchronization

/// A store in one schema of a PostgreSQL database.
///
/// A snapshot is a connection in a transaction that sees one state. Saves of all processes run side
/// by side and queue only for their last statements, which give each its number.
final class PostgresStore: PersistentStore, MaintainingStore, BatchWritingStore,
    HistoryTrackingStore, ChangeObservingStore, GroupSavingStore
{
    typealias Snapshot = PostgresSnapshot

    private let core: StoreCore
    private let snapshots: SnapshotPool
    /// Nil for a store that is opened for reading only.
    private let writer: StoreWriter?
    private let observer: ChangeObserver
    /// The identity under which the store is registered as open.
    let registration: StoreRegistration
    /// Where the store is.
    let location: StoreLocation

    init(
        core: StoreCore, snapshots: SnapshotPool, writer: StoreWriter?, observer: ChangeObserver,
        registration: StoreRegistration, location: StoreLocation
    ) {
        self.location = location
        self.core = core
        self.snapshots = snapshots
        self.writer = writer
        self.observer = observer
        self.registration = registration
    }

    deinit { end() }

    var model: ManagedObjectModel { core.model }
    var handle: StoreHandle { core.schema.store }
    var capabilities: StoreCapabilities {
        [
            .durable, .maintenance, .batches, .history, .changeObservation, .derivedAttributes,
            .schemaMigration, .groupSaves,
        ]
    }
    var counters: StoreCounters { core.counters }

    func metadata() throws(StoreError) -> StoreMetadata {
        try snapshots.withNewest { (connection, _) throws(StoreError) in
            try StoredMetadata(RowReading(core, connection)).metadata()
        }
    }

    func snapshot() throws(StoreError) -> PostgresSnapshot { try snapshots.snapshot() }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writable().allocateKeys(count, for: entity)
    }

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try writable().save(changes)
        if case .saved(let receipt) = outcome {
            observer.noticeOwnSave()
            deleteOldHistory(after: receipt.generation)
        }
        return outcome
    }

    func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        do throws(StoreError) {
            let outcomes = try writable().save(group)
            observer.noticeOwnSave()
            for case .success(.saved(let receipt)) in outcomes {
                deleteOldHistory(after: receipt.generation)
            }
            return outcomes
        } catch {
            return group.map { _ in .failure(error) }
        }
    }

    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        let writer = try writable()
        if let cancellation = heading.cancellation, cancellation.isCancelled {
            throw StoreCore.cancelled
        }
        let generation = try writer.writeBatch(heading, body)
        if let generation {
            observer.noticeOwnSave()
            deleteOldHistory(after: generation)
        }
        return generation
    }

    private func deleteOldHistory(after generation: StoreGeneration) {
        deleteOldHistory(
            after: generation, seconds: core.settings.historySeconds, core.settings.clock)
    }

    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        try core.checkUsable()
        if let writer { return try writer.generation(ofSave: identifier) }
        return try snapshots.withNewest { (connection, _) throws(StoreError) in
            let found = try RowReading(core, connection)
                .run(core.statements.saves.findSave, [.uuid(identifier)])
            return found.rowCount == 1
                ? found.int64(0, 0).map { StoreGeneration(rawValue: $0) } : nil
        }
    }

    func pushdown(for query: StoreQuery) -> Pushdown { QueryCompiler(core).pushdown(for: query) }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try writable().setUserInfo(userInfo)
        observer.noticeOwnSave()
    }

    func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        try core.checkUsable()
        return observer.observe(body)
    }

    func maintain() throws(StoreError) -> MaintenanceReport {
        let writer = try writable()
        try deleteOldHistory(seconds: core.settings.historySeconds, core.settings.clock)
        let ended = snapshots.held.endOverdue()
        try writer.trimSaves()
        return MaintenanceReport(endedSnapshots: ended)
    }

    func close() throws(StoreError) {
        try core.process.check(core.place)
        end()
    }

    // MARK: - History

    func beginHistory() throws(StoreError) {
        if try historyExtent() == nil { try writable().beginHistory() }
    }

    func historyExtent() throws(StoreError) -> HistoryExtent? {
        try snapshots.withNewest { (connection, _) throws(StoreError) in
            try HistoryReader.extent(RowReading(core, connection))
        }
    }

    func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try snapshots.withNewest { (connection, _) throws(StoreError) in
            guard let reader = try HistoryReader(RowReading(core, connection), after: request.after)
            else {
                throw StoreError.historyMissing(core.place)
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
        try snapshots.withNewest { (connection, _) throws(StoreError) in
            try StoreWriter.consumers(
                RowReading(core, connection).run(core.statements.history.consumers, []))
        }
    }

    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try writable().setConsumer(
            HistoryConsumer(
                name: name, transactionNumber: transactionNumber, leaseSeconds: leaseSeconds,
                renewedAt: core.settings.clock.date()))
    }

    func removeHistoryConsumer(named name: String) throws(StoreError) {
        try writable().removeConsumer(named: name)
    }

    // MARK: - Ending

    func writable() throws(StoreError) -> StoreWriter {
        try core.checkUsable()
        guard let writer else {
            throw StoreError(.readOnly, "'\(core.place)' was opened for reading only.")
        }
        return writer
    }

    private func end() {
        // A child made by fork does not touch what its parent opened.
        if core.process.isInherited { return }
        guard !core.isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        observer.end()
        snapshots.connections.close()
        writer?.connections.close()
        writer?.leasing.close()
        registration.end()
    }
}
