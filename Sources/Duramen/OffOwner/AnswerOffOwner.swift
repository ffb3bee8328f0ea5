import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows that a fetch off the owner returns.
enum AnswerOffOwner: Sendable {
    /// Blocks of rows from the only store, and the results after the last block, which become
    /// faults: the row of one has a damaged value, which its object then reports.
    case batches([RowBatch], faults: [ManagedObjectID])
    /// Rows in order, each with the index of its store among the queries.
    case rows([(store: Int, row: Row)])

    /// Queries one store, or several whose results are merged in the same order.
    init(
        _ queries: [QueryOffOwner], offset: Int, limit: Int?, _ onProgress: (Int) -> Void
    ) throws(StoreError) {
        if queries.count == 1 {
            self = try queries[0].answer(onProgress)
            return
        }
        var merged: [(store: Int, row: Row, keys: BoundSortKeys)] = []
        for (index, query) in queries.enumerated() {
            let (rows, order) = try query.orderedRows()
            let own = rows.map { (store: index, row: $0, keys: $1) }
            merged = merged.merging(own) { order.precedes($0.keys, $1.keys) }
        }
        let rest = merged.dropFirst(offset)
        self = .rows((limit.map { rest.prefix($0) } ?? rest).map { ($0.store, $0.row) })
    }

    func forEachRow(_ body: (Int, Row) throws -> Void) rethrows {
        switch self {
        case .batches(let batches, _):
            for batch in batches { for row in batch { try body(0, row) } }
        case .rows(let rows): for (store, row) in rows { try body(store, row) }
        }
    }
}
