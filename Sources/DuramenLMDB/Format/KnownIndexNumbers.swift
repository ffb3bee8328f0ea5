import DuramenModel
import DuramenStore

/// The numbers of a store's indexes, read again only when the list has changed.
///
/// Reading the list costs more than a look-up, and it changes when an index is created or dropped.
final class KnownIndexNumbers: Sendable {
    private let known = Locked<(bytes: [UInt8], numbers: [UInt32?])?>(nil)

    /// The number of each index of the schema in a state; nil for incomplete ones.
    func numbers(
        _ schema: StoreSchema, _ transaction: Transaction
    ) throws(StoreError) -> [UInt32?] {
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        let last = known.withLock { $0 }
        if let last, try meta.isIndexList(last.bytes) { return last.numbers }
        let list = try meta.indexList()
        try schema.check(list)
        let numbers = list.numbers(of: schema.indexes)
        if let bytes = try meta.indexListBytes().map({ Array($0) }) {
            known.withLock { $0 = (bytes, numbers) }
        }
        return numbers
    }
}
