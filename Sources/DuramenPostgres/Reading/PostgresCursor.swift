import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Fetches the rows of a query from a cursor of the server, a block at a time.
///
/// The first block comes in the round trip that declares the cursor.
final class PostgresCursor: StoreCursor {
    /// The rows of one block.
    private static let blockSize = 512

    private let snapshot: PostgresSnapshot
    private let plan: RowPlan
    private let cancellation: CancellationFlag?
    private let fetch: Statement
    private let closing: Statement
    private var begin: (statement: Statement, parameters: [Parameter])?
    /// The block that is being decoded, and the next row in it.
    private var block: ResultSet?
    private var next = 0
    private var isAtEnd = false
    private var size = RowBatchSize()

    init(_ query: PreparedQuery, on snapshot: PostgresSnapshot) throws(StoreError) {
        let core = snapshot.core
        self.snapshot = snapshot
        cancellation = query.query.cancellation
        let (compiled, select) = try QueryCompiler(core).rows(query)
        guard let plan = compiled.plan as? RowPlan else { throw core.damagedState }
        self.plan = plan
        let name = snapshot.reader.nextCursorName()
        fetch = Statement("FETCH \(Self.blockSize) FROM \(name)", prepared: false)
        closing = Statement("CLOSE \(name)", prepared: false)
        let limit = query.query.limit ?? .max
        if limit <= Self.blockSize {
            // All rows fit in a block: no cursor, and a plan that the server keeps.
            begin = (select.statement, select.bound)
            isAtEnd = true
        } else {
            begin = (
                Statement(
                    "DECLARE \(name) NO SCROLL CURSOR FOR \(select.text.sql)", prepared: false),
                select.bound
            )
        }
    }

    deinit {
        guard begin == nil, !isAtEnd, !snapshot.core.process.isInherited else { return }
        var pipeline = Pipeline()
        pipeline.add(closing)
        _ = try? snapshot.withReading { (reading) throws(StoreError) in
            _ = try reading.run(pipeline)
        }
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        let maximum = max(maximumRows, 1)
        while true {
            try snapshot.core.checkUsable()
            if let cancellation, cancellation.isCancelled { throw StoreCore.cancelled }
            if let block, next < block.rowCount {
                if let batch = try decode(block, maximum) { return batch }
                continue
            }
            block = nil
            if isAtEnd, begin == nil { return nil }
            try fetchBlock()
        }
    }

    private func fetchBlock() throws(StoreError) {
        var pipeline = Pipeline()
        let isDirect = begin != nil && isAtEnd
        if let begin { pipeline.add(begin.statement, begin.parameters) }
        if !isDirect { pipeline.add(fetch) }
        begin = nil
        let wasAtEnd = isAtEnd
        // A failure leaves no cursor to close.
        isAtEnd = true
        let results = try snapshot.withReading(cancellation) { (reading) throws(StoreError) in
            try reading.runGuarded(pipeline)
        }
        next = 0
        block = results.last
        isAtEnd = wasAtEnd || (block?.rowCount ?? 0) < Self.blockSize
    }

    private func decode(_ block: ResultSet, _ maximum: Int) throws(StoreError) -> RowBatch? {
        let decoder = RowDecoder(plan: plan, core: snapshot.core)
        let expected = size.rows(atMost: min(maximum, block.rowCount - next))
        var builder = RowBatchBuilder(capacity: size.bytes(forRows: expected), rows: expected)
        while next < block.rowCount, builder.count < maximum, !builder.isFull {
            try decoder.add(next, of: block, to: &builder)
            next += 1
        }
        snapshot.core.counters.noteRows(builder.count)
        if builder.count == 0 { return nil }
        size.note(builder)
        return builder.finish()
    }
}
