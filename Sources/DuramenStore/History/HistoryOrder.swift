import DuramenModel
import Foundation

extension HistoryRequest {
    /// Makes sure that transactions have the numbers that were asked for, each above the one
    /// before.
    ///
    /// Whoever reads a history page by page goes on behind the last number of a page. A damaged
    /// table may have numbers that do not ascend, and such a reader would read the same page for
    /// ever. A store calls this before it answers.
    ///
    /// - Parameter path: The store, for the message.
    /// - Throws: `.damagedFile`
    /// - Complexity: O(*n*) for *n* transactions.
    public func checkOrder(
        of transactions: [PersistentHistoryTransaction], path: String
    ) throws(StoreError) {
        var last = after
        for transaction in transactions {
            let number = transaction.transactionNumber
            if number <= last || number > through {
                throw StoreError(
                    .damagedFile,
                    "The history of '\(path)' is damaged: transaction \(number) follows transaction \(last); restore a "
                        + "copy.")
            }
            last = number
        }
    }
}

extension HistoryTrackingStore {
    /// Reads a page of transactions that is certain to end behind the place asked for, whoever
    /// wrote the store.
    ///
    /// - Throws: `.damagedFile` when the numbers do not ascend; what ``history(_:)`` throws.
    package func page(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let page = try history(request)
        try request.checkOrder(of: page, path: handle.uuid?.uuidString ?? "a store")
        return page
    }
}
