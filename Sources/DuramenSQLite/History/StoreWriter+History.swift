import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

extension StoreWriter {
    /// Starts a history, unless there is one.
    func beginHistory() throws(StoreError) {
        try withWriter { (source, writer) throws(StoreError) in
            if try HistoryTables.exist(source.connection) { return }
            try transaction(source) { () throws(StoreError) in
                // Another process may have started it meanwhile.
                if try HistoryTables.exist(source.connection) { return }
                let tombstones = core.historyProperties.preserved.map(\.count).max() ?? 0
                for statement in HistoryTables.creation(tombstones: tombstones) {
                    try source.connection.execute(statement)
                }
            }
            writer.forgetHistory()
        }
    }

    /// Deletes the oldest transactions that no live consumer needs.
    func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try withWriter { (source, writer) throws(StoreError) in
            let connection = source.connection
            return try transaction(source) { () throws(StoreError) in
                guard try HistoryTables.exist(connection) else {
                    throw StoreError.historyMissing(core.path)
                }
                // Their numbers are not reused.
                try HistoryTables.raiseSaves(connection, core: core)
                let now = core.settings.clock.date()
                let limit = try last(of: deletion, connection)
                let (through, keptFor) = try connection.historyConsumers().bound(limit, at: now)
                let change = try HistoryTables.firstChange(behind: through, connection)
                try connection.execute("DELETE FROM ACHANGE WHERE Z_PK < \(change)")
                try connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK <= \(through)")
                let count = connection.changes
                writer.forgetHistory()
                return HistoryDeletion.Outcome(count: count, keptFor: keptFor)
            }
        }
    }

    /// The last existing transaction to delete.
    private func last(
        of deletion: HistoryDeletion, _ connection: Connection
    ) throws(StoreError) -> Int64 {
        let newest = try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
        let limit = min(deletion.through, newest)
        guard let date = deletion.olderThan else { return limit }
        let kept = try connection.integer(
            "SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP >= ? ORDER BY Z_PK LIMIT 1",
            .double(date.timeIntervalSinceReferenceDate))
        return min(limit, kept.map { max($0, 0) - 1 } ?? limit)
    }

    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try HistoryConsumer.checkLease(leaseSeconds)
        try withWriter { (source, _) throws(StoreError) in
            let connection = source.connection
            try transaction(source) { () throws(StoreError) in
                guard try HistoryTables.exist(connection) else {
                    throw StoreError.historyMissing(core.path)
                }
                try connection.execute(HistoryTables.consumers)
                let statement = try connection.prepare(
                    "INSERT OR REPLACE INTO DURAMEN_CONSUMER (ZNAME, ZTRANSACTION, ZLEASE, ZRENEWED) "
                        + "VALUES (?, ?, ?, ?)")
                statement.bind([
                    .text(StoredText(name)), .integer(transactionNumber), .double(leaseSeconds),
                    .double(core.settings.clock.date().timeIntervalSinceReferenceDate),
                ])
                try connection.run(statement, "write to")
            }
        }
    }

    func removeHistoryConsumer(named name: String) throws(StoreError) {
        try withWriter { (source, _) throws(StoreError) in
            let connection = source.connection
            try transaction(source) { () throws(StoreError) in
                guard try HistoryTables.exist(connection) else { return }
                try connection.execute(HistoryTables.consumers)
                let statement = try connection.prepare(
                    "DELETE FROM DURAMEN_CONSUMER WHERE ZNAME = ?")
                statement.bind(.text(StoredText(name)), at: 1)
                try connection.run(statement, "write to")
            }
        }
    }
}
