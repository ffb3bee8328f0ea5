import DuramenModel
import DuramenStore
import Foundation
import Synchronization

extension StoreWriter {
    /// Starts a history with the next save. Saves under way end before.
    func beginHistory() throws(StoreError) {
        var pipeline = Pipeline()
        pipeline.add(Statement.beginAlone)
        pipeline.add(core.statements.saves.lockGateAlone)
        pipeline.add(core.statements.history.begin)
        pipeline.add(Statement.commit)
        try run(pipeline)
        keepsHistory.store(true, ordering: .releasing)
    }

    /// Deletes the oldest transactions that no live consumer needs, in pieces.
    func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        var outcome = HistoryDeletion.Outcome(count: 0, keptFor: [])
        while true {
            let (count, keptFor, isDone) = try deletePiece(deletion)
            outcome.count += count
            outcome.keptFor = keptFor
            if isDone { return outcome }
        }
    }

    /// The most transactions that are deleted at once.
    private static let pieceSize: Int64 = 10_000

    private func deletePiece(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> (count: Int, keptFor: [String], isDone: Bool) {
        try transaction { (reading) throws(StoreError) in
            guard let extent = try HistoryReader.extent(reading) else {
                throw StoreError.historyMissing(core.place)
            }
            // Locked, so that no consumer goes back behind what is deleted.
            let consumers = try StoreWriter.consumers(
                try reading.run(core.statements.history.lockConsumers, []))
            var limit = min(deletion.through, extent.last)
            if let date = deletion.olderThan {
                let first = try reading.run(
                    core.statements.history.firstTransactionSince,
                    [
                        .bigint(extent.deletedThrough),
                        .double(date.timeIntervalSinceReferenceDate),
                    ])
                if let number = first.rowCount == 1 ? first.int64(0, 0) : nil {
                    limit = min(limit, number - 1)
                }
            }
            let (through, keptFor) = consumers.bound(limit, at: core.settings.clock.date())
            guard through > extent.deletedThrough else { return (0, keptFor, true) }
            let end = min(through, extent.deletedThrough + Self.pieceSize)
            let bounds: [Parameter] = [.bigint(extent.deletedThrough), .bigint(end)]
            _ = try reading.run(core.statements.history.deleteChanges, bounds)
            let deleted = try reading.run(core.statements.history.forget, bounds)
            _ = try reading.run(core.statements.history.move, [.bigint(end)])
            return (deleted.affectedRows, keptFor, end == through)
        }
    }

    // MARK: - Consumers

    func setConsumer(_ consumer: HistoryConsumer) throws(StoreError) {
        try HistoryConsumer.checkLease(consumer.leaseSeconds)
        var pipeline = Pipeline()
        pipeline.add(
            core.statements.history.setConsumer,
            [
                .stored(consumer.name), .bigint(consumer.transactionNumber),
                .double(consumer.leaseSeconds),
                .double(consumer.renewedAt.timeIntervalSinceReferenceDate),
            ])
        if try run(pipeline)[0].affectedRows == 0 { throw StoreError.historyMissing(core.place) }
    }

    func removeConsumer(named name: String) throws(StoreError) {
        var pipeline = Pipeline()
        pipeline.add(core.statements.history.removeConsumer, [.stored(name)])
        try run(pipeline)
    }

    static func consumers(_ result: ResultSet) throws(StoreError) -> [HistoryConsumer] {
        (0..<result.rowCount).map { row in
            HistoryConsumer(
                name: result.storedText(row, 0) ?? "",
                transactionNumber: result.int64(row, 1) ?? 0,
                leaseSeconds: result.double(row, 2) ?? 0,
                renewedAt: Date(timeIntervalSinceReferenceDate: result.double(row, 3) ?? 0))
        }
    }

    // MARK: - Transactions of their own

    /// Runs statements in one round trip, which are a transaction of their own.
    ///
    /// - Parameters:
    ///   - pipeline: The statements.
    ///   - pool: The source of the connection; that of saves by default.
    @discardableResult
    func run(
        _ pipeline: Pipeline, on pool: ConnectionPool? = nil
    ) throws(StoreError) -> [ResultSet] {
        let pool = pool ?? connections
        core.counters.noteStatement()
        let (connection, results) = try pool.run(pipeline, core)
        pool.give(back: connection)
        return results
    }

    /// Calls `body` within a transaction other than a save.
    func transaction<R>(
        _ body: (RowReading) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var begin = Pipeline()
        begin.add(Statement.beginAlone)
        let (connection, _) = try connections.run(begin, core)
        // After an error, this rolls back.
        defer { connections.give(back: connection) }
        let reading = RowReading(core, connection)
        let result = try body(reading)
        _ = try reading.run(Statement.commit, [])
        return result
    }
}
