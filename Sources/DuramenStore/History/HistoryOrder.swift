import DuramenModel
import Foundation

extension HistoryRequest {
    /// Checks that transactions have the requested numbers, in ascending order.
    ///
    /// A reader of pages continues after the last number of a page. A damaged table may have
    /// numbers that do not ascend, and the reader would then read one page forever. A store calls
    /// this before it returns transactions.
    ///
    /// - Parameters:
    ///   - transactions: The transactions of the result.
    ///   - path: The store, for the message.
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
    /// Returns a page of transactions, none of which is before the requested position.
    ///
    /// - Throws: `.damagedFile` when the numbers do not ascend; the errors of ``history(_:)``.
    package func page(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let page = try history(request)
        try request.checkOrder(of: page, path: handle.uuid?.uuidString ?? "a store")
        return page
    }
}
