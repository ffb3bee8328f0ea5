package import DuramenModel
package import DuramenQuery
import Foundation

/// The store that a step works on: a copy with the properties of both versions.
package final class StepWork: Sendable {
    /// The copy, without rules: deleting an object only clears references to it.
    package let store: any PersistentStore
    /// The model of the copy, and the two versions.
    package let bridge: BridgingModel
    /// Opens the copy for contexts.
    package let access: StageAccess
    private let report: MigrationReport

    /// The number of rows per save.
    private static let rowsPerSave = 10_000
    /// The number of bytes of variable-length values per save, not counting its last row.
    private static let bytesPerSave = 8 << 20
    /// The number of rows per read.
    private static let rowsPerBlock = 500

    init(
        store: any PersistentStore, bridge: BridgingModel, access: StageAccess,
        report: MigrationReport
    ) {
        self.store = store
        self.bridge = bridge
        self.access = access
        self.report = report
    }

    /// Reports the progress of the step.
    ///
    /// - Throws: `.cancelled`.
    package func note(_ done: Int, of total: Int) throws(StoreError) {
        try report.note(.steps, rows: done, of: total)
    }

    /// A flag that ends the step when it is raised.
    package var cancellation: CancellationFlag { report.cancellation }

    /// Calls `body` with all rows of an entity of the bridging model, in the order of their keys,
    /// as they were when the step started.
    ///
    /// - Complexity: Needs the memory of a block.
    package func forEachRow(
        of entity: Entity, where predicate: FetchPredicate? = nil,
        _ body: (MigratingRow) throws -> Void
    ) throws {
        let snapshot = try store.snapshot()
        let query = StoreQuery(
            entity: entity.id, predicate: predicate, cancellation: report.cancellation)
        let execution = try QueryExecution(query, on: store, in: snapshot)
        let total = try execution.count()
        var done = 0
        var failure: (any Error)?
        try execution.forEachBlock(Self.rowsPerBlock, SnapshotSource(store, snapshot)) {
            (rows) throws(StoreError) in
            let block = RowBlock(rows, snapshot, store)
            do {
                for row in rows { try body(MigratingRow(row, in: block)) }
            } catch {
                failure = error
                return false
            }
            if let problem = block.problem { throw problem }
            done += rows.count
            try note(done, of: total)
            return true
        }
        if let failure { throw failure }
    }

    /// Writes rows in batches.
    package final class Writer {
        private let work: StepWork
        private var updates: [RowUpdate] = []
        private var bytes = 0

        fileprivate init(_ work: StepWork) { self.work = work }

        /// Adds a row.
        package func add(_ update: RowUpdate) throws(StoreError) {
            updates.append(update)
            for slot in work.store.model[update.row.entityID].layout.tailSlots
            where !update.row.isNull(slot) {
                bytes += update.row.unsafeBytes(slot).count
            }
            if updates.count == StepWork.rowsPerSave || bytes >= StepWork.bytesPerSave {
                try finish()
            }
        }

        /// Writes the remaining rows.
        package func finish() throws(StoreError) {
            if updates.isEmpty { return }
            try work.save(ChangeSet(updates: updates))
            updates = []
            bytes = 0
        }
    }

    /// Creates a writer, which saves many rows at once.
    package func writer() -> Writer { Writer(self) }

    /// Saves changes.
    package func save(_ changes: ChangeSet) throws(StoreError) {
        var changes = changes
        changes.author = MigrationWork.historyAuthor
        changes.cancellation = report.cancellation
        guard case .conflicted(let conflicts) = try store.save(changes) else { return }
        for case .uniqueness(let conflict) in conflicts {
            throw store.model.uniquenessViolated(conflict)
        }
        throw StoreError(
            .storeBusy, "Somebody else wrote to the copy of the store that is migrated.")
    }

    /// The settings of batches.
    package var settings: BatchSettings {
        BatchSettings(author: MigrationWork.historyAuthor, cancellation: report.cancellation)
    }
}

extension QueryExecution {
    /// Calls `body` with all rows, in blocks, until it returns false.
    fileprivate func forEachBlock(
        _ count: Int, _ source: SnapshotSource, _ body: ([Row]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        if isStreaming {
            return try forEachBatch(maximumRows: count) { (batch) throws(StoreError) in
                try body(Array(batch))
            }
        }
        var block: [Row] = []
        var goesOn = true
        try forEachMatch(in: source) { (row) throws(StoreError) in
            block.append(row)
            if block.count == count {
                goesOn = try body(block)
                block = []
            }
            return goesOn
        }
        if goesOn, !block.isEmpty { _ = try body(block) }
    }
}
