import DuramenModel
import DuramenQuery
import DuramenStore
import Synchronization

/// The transaction of a batch, which has the gate alone.
final class PostgresBatch: BatchTransaction {
    let base: any StoreSnapshot
    private let writer: StoreWriter
    let connection: Connection
    let stamp: Int64
    private let cancellation: CancellationFlag?
    private var history: HistoryRows?
    /// Whether something was written.
    var hasWritten = false

    init(
        base: any StoreSnapshot, writer: StoreWriter, connection: Connection, stamp: Int64,
        cancellation: CancellationFlag?
    ) {
        self.base = base
        self.writer = writer
        self.connection = connection
        self.stamp = stamp
        self.cancellation = cancellation
        if writer.keepsHistory.load(ordering: .acquiring) {
            history = HistoryRows(writer.core, stamp: stamp)
        }
    }

    var core: StoreCore { writer.core }
    /// Whether the changes are recorded.
    var keepsHistory: Bool { history != nil }

    /// The number of changes in the history; nil when there is none.
    var changeCount: Int? { history?.count }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try writer.allocateKeys(count, for: entity)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        try core.check.check(part)
        let reading = RowReading(core, connection)
        var part = part
        if let derived = core.derived {
            part = try derived.complete(
                part, from: reading, withinBatchOf: RowVersion(rawValue: stamp)
            ).changes
        }
        try history?.readTombstones(part, reading)
        var pipeline = ChangePipeline(core, stamp: stamp)
        pipeline.add(Statement.savepoint, as: .control)
        try pipeline.write(part)
        writer.raiseKeys(part.inserts, in: &pipeline)
        pipeline.add(Statement.releaseSavepoint, as: .control)
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            _ = try connection.run(
                pipeline.pipeline, RunLimits(cancellation: cancellation))
        } catch {
            return try conflicts(error, pipeline, part)
        }
        hasWritten = true
        if var history {
            try history.add(part)
            var rows = ChangePipeline(core, stamp: stamp)
            history.write(to: &rows)
            self.history = history
            if !rows.roles.isEmpty {
                do throws(PostgresFailure) {
                    _ = try connection.run(rows.pipeline)
                } catch {
                    throw core.error(error, "write to")
                }
            }
        }
        return []
    }

    /// Adds rows that one statement has changed to the history, some thousand at a time.
    func recordRows(
        of result: ResultSet, _ kind: PersistentHistoryChange.ChangeType, _ slots: SlotSet?
    ) throws(StoreError) {
        guard var history else { return }
        var row = 0
        while row < result.rowCount {
            let end = min(row + Self.recordedAtOnce, result.rowCount)
            while row < end {
                if let id = core.id(result, row, key: 0, entity: 1) {
                    history.add(id, kind, changed: slots)
                }
                row += 1
            }
            var rows = ChangePipeline(core, stamp: stamp)
            history.write(to: &rows)
            try RowReading(core, connection).run(rows.pipeline)
        }
        self.history = history
    }

    private static let recordedAtOnce = 5_000

    /// Returns the conflicts for which a part was not written.
    private func conflicts(
        _ failure: PostgresFailure, _ pipeline: ChangePipeline, _ part: ChangeSet
    ) throws(StoreError) -> [UniquenessConflict] {
        switch (failure.sqlState, pipeline.role(of: failure)) {
        case ("22012", .version), ("23505", .claim): break
        case ("23505", .key):
            throw SaveAttempt.keyInUse
        default: throw core.error(failure, "write to")
        }
        let reading = RowReading(core, connection)
        _ = try reading.run(Statement.rollBackToSavepoint, [])
        _ = try reading.run(Statement.releaseSavepoint, [])
        let found = try ConflictCollector(part, reading).conflicts().ofPart()
        if found.isEmpty {
            throw StoreError(.io, "A part of a batch could not be written to '\(core.place)'.")
        }
        return found
    }
}

extension StoreWriter {
    /// Writes a batch, whole or not at all.
    ///
    /// - Parameters:
    ///   - heading: The identifier, author and other names of the batch.
    ///   - body: Writes the parts.
    func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var begin = Pipeline()
        begin.add(Statement.beginAlone)
        if core.settings.durability != .full { begin.add(Statement.relaxDurability) }
        begin.add(core.statements.saves.lockGateAlone)
        begin.add(core.statements.history.extent)
        begin.add(core.statements.saves.state)
        core.counters.noteStatement()
        let (connection, results) = try connections.run(
            begin, core, RunLimits(cancellation: heading.cancellation))
        defer { connections.give(back: connection) }
        do throws(StoreError) {
            let (extent, state) = (results[results.count - 2], results[results.count - 1])
            guard extent.rowCount == 1, state.rowCount == 1 else { throw core.damagedState }
            if state.int64(0, 0) != core.layout { throw StoreError.storeMigrated(core.place) }
            keepsHistory.store(!extent.isNull(0, 0), ordering: .releasing)
            // Leased under the gate: no row that is there has a later one.
            let batch = PostgresBatch(
                base: try snapshots.snapshot(), writer: self, connection: connection,
                stamp: try batchStamp(), cancellation: heading.cancellation)
            try body(batch)
            return try end(batch, heading, connection)
        } catch {
            if !connection.isBroken, connection.isInTransaction {
                connection.sendRollback()
            }
            throw error
        }
    }

    private func end(
        _ batch: PostgresBatch, _ heading: ChangeSet, _ connection: Connection
    ) throws(StoreError) -> StoreGeneration? {
        if let cancellation = heading.cancellation, cancellation.isCancelled {
            throw StoreCore.cancelled
        }
        guard batch.hasWritten || !heading.metadata.isEmpty else {
            _ = try RowReading(core, connection).run(Statement.rollBack, [])
            return nil
        }
        var pipeline = ChangePipeline(core, stamp: batch.stamp)
        try MetadataWriting(core).add(heading.metadata, to: &pipeline)
        pipeline.endSave(heading, core, changeCount: batch.changeCount)
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            let results = try connection.run(
                pipeline.pipeline, RunLimits(deadline: core.replyDeadline, commits: true))
            guard let number = results[results.count - 2].int64(0, 0) else {
                throw PostgresFailure(.refused)
            }
            core.newest.note(number, stamp: batch.stamp)
            return StoreGeneration(rawValue: number)
        } catch {
            if error.isOutcomeUnknown {
                connection.close()
                noteUnknown(heading.identifier)
                throw core.unknownOutcome(of: heading.identifier)
            }
            throw core.error(error, "save to")
        }
    }
}
