import DuramenModel
import DuramenStore
import Foundation

extension StoreWriter {
    /// Starts a history, unless there is one.
    func beginHistory() throws(StoreError) {
        try writeHistory(mustBeBegun: false) { (history, _) throws(StoreError) in
            if try !history.isBegun() { try history.begin() }
        }
    }

    /// Deletes the oldest transactions that no live consumer needs.
    func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try writeHistory { (history, now) throws(StoreError) in
            let limit = try last(of: deletion, history)
            let (through, keptFor) = try history.consumers().bound(limit, at: now)
            return HistoryDeletion.Outcome(
                count: try history.remove(through: through), keptFor: keptFor)
        }
    }

    /// The last existing transaction to delete.
    private func last(
        of deletion: HistoryDeletion, _ history: HistoryTable
    ) throws(StoreError) -> Int64 {
        guard let bounds = try history.bounds() else { return 0 }
        let limit = min(deletion.through, bounds.last)
        guard let date = deletion.olderThan else { return limit }
        var last = bounds.first - 1
        try history.forEachRecord(from: bounds.first, readsGroups: false) {
            (number, record) throws(StoreError) in
            if let head = record.head, head.timestamp >= date { return false }
            last = number
            return number < limit
        }
        return min(last, limit)
    }

    func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try HistoryConsumer.checkLease(leaseSeconds)
        try writeHistory { (history, now) throws(StoreError) in
            try history.set(
                HistoryConsumer(
                    name: name, transactionNumber: transactionNumber, leaseSeconds: leaseSeconds,
                    renewedAt: now))
        }
    }

    func removeHistoryConsumer(named name: String) throws(StoreError) {
        try writeHistory(mustBeBegun: false) { (history, _) throws(StoreError) in
            try history.removeConsumer(named: name)
        }
    }

    private func writeHistory<R: Sendable>(
        mustBeBegun: Bool = true, _ body: (HistoryTable, Date) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let table = schema.tables.history else {
            throw StoreError.historyMissing(schema.path)
        }
        let result = try alone { () throws(StoreError) -> R? in
            try transaction { (transaction) throws(StoreError) -> R? in
                let history = HistoryTable(transaction, table)
                if mustBeBegun, try !history.isBegun() {
                    throw StoreError.historyMissing(schema.path)
                }
                return try body(history, clock.date())
            }
        }
        guard let result else { throw StoreError.historyMissing(schema.path) }
        return result
    }
}
