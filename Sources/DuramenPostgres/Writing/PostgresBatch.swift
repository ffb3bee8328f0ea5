import DuramenModel
import DuramenQuery
import DuramenStore
import Synchronization

/// The transaction of a batch, which has the gate alone.
final class PostgresBatch: BatchTransaction {
    let base: any StoreSnapshot
    let writer: StoreWriter
    let connection: Connection
    let stamp: Int64
    let cancellation: CancellationFlag?
    private var history: HistoryRows?
    private var copy: RowCopy
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
        copy = RowCopy(
            writer.core, connection, stamp: stamp, RunLimits(cancellation: cancellation))
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
        if let derived = core.derived, derived.isConcerned(by: part) {
            try copy.end()
            part = try derived.complete(
                part, from: reading, withinBatchOf: RowVersion(rawValue: stamp)
            ).changes
        }
        if let conflicts = try writeWithoutCopy(part) { return conflicts }
        // Nothing but a mistake can go wrong now, which ends the batch.
        if RowCopy.fits(part) { try copy.write(part.inserts) }
        hasWritten = true
        try record(part)
        return []
    }

    /// Writes what cannot be copied.
    ///
    /// - Returns: The conflicts for which nothing was written; nil for none.
    private func writeWithoutCopy(
        _ part: ChangeSet
    ) throws(StoreError) -> [UniquenessConflict]? {
        let isCopied = RowCopy.fits(part)
        var pipeline = ChangePipeline(core, stamp: stamp)
        pipeline.add(Statement.savepoint, as: .control)
        try pipeline.write(part, insertsRows: !isCopied)
        writer.raiseKeys(part.inserts, in: &pipeline)
        pipeline.add(Statement.releaseSavepoint, as: .control)
        // Most copied rows bring no unique values and no pairs.
        if isCopied, pipeline.pipeline.count == 2 { return nil }
        try copy.end()
        try history?.readTombstones(part, RowReading(core, connection))
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            _ = try connection.run(pipeline.pipeline, RunLimits(cancellation: cancellation))
            return nil
        } catch {
            return try conflicts(error, pipeline, part)
        }
    }

    /// Writes new rows by a COPY, which stays open.
    func copy(_ rows: RowList) throws(StoreError) { try copy.write(rows) }

    /// Ends a COPY that is open, so that other statements can be sent.
    func endCopying() throws(StoreError) { try copy.end() }

    /// Writes what is left, before the commit.
    func finish() throws(StoreError) {
        try copy.end()
        try writeHistory()
    }

    /// Ends what has begun, after a failure.
    func abandon() { copy.abandon() }

    // MARK: - History

    /// Adds a part to the history, if there is one.
    func record(_ part: ChangeSet) throws(StoreError) {
        try history?.add(part)
        if history?.isLarge == true { try writeHistory() }
    }

    /// Adds rows that a statement has changed to the history.
    func recordRows(
        of result: ResultSet, _ kind: PersistentHistoryChange.ChangeType, _ slots: SlotSet?
    ) throws(StoreError) {
        for row in 0..<result.rowCount {
            guard let id = core.id(result, row, key: 0, entity: 1) else { continue }
            try record(id, kind, slots)
        }
    }

    /// Adds a change of one object to the history.
    func record(
        _ id: ManagedObjectID, _ kind: PersistentHistoryChange.ChangeType, _ slots: SlotSet?
    ) throws(StoreError) {
        history?.add(id, kind, changed: slots)
        if history?.isLarge == true { try writeHistory() }
    }

    private func writeHistory() throws(StoreError) {
        var rows = ChangePipeline(core, stamp: stamp)
        history?.write(to: &rows)
        if rows.roles.isEmpty { return }
        try copy.end()
        try RowReading(core, connection).run(rows.pipeline)
    }

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
        // After an error, this rolls back.
        defer { connections.give(back: connection) }
        let (extent, state) = (results[results.count - 2], results[results.count - 1])
        guard extent.rowCount == 1, state.rowCount == 1 else { throw core.damagedState }
        if state.int64(0, 0) != core.layout { throw StoreError.storeMigrated(core.place) }
        keepsHistory.store(!extent.isNull(0, 0), ordering: .releasing)
        // Leased under the gate: no row that is there has a later one.
        let batch = PostgresBatch(
            base: try snapshots.snapshot(), writer: self, connection: connection,
            stamp: try batchStamp(), cancellation: heading.cancellation)
        defer { batch.abandon() }
        try body(batch)
        try batch.finish()
        return try end(batch, heading, connection)
    }

    private func end(
        _ batch: PostgresBatch, _ heading: ChangeSet, _ connection: Connection
    ) throws(StoreError) -> StoreGeneration? {
        if let cancellation = heading.cancellation, cancellation.isCancelled {
            throw StoreCore.cancelled
        }
        guard batch.hasWritten || !heading.metadata.isEmpty else { return nil }
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
