import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Fetches the rows of a query from a cursor of the server, in blocks.
///
/// The first block comes in the round trip that declares the cursor. Further round trips bring more
/// and more blocks, each of which is decoded while the server reads the next.
final class PostgresCursor: StoreCursor {
    /// The rows of one block.
    private static let blockSize = 512
    /// The blocks of one round trip, and about how many bytes they have together.
    private static let mostBlocks = 8
    private static let mostBytes = 4 << 20

    private let snapshot: PostgresSnapshot
    private let plan: RowPlan
    private let cancellation: CancellationFlag?
    private let select: CompiledSelect
    /// Whether all rows fit in a block: no cursor, and a plan that the server keeps.
    private let isDirect: Bool
    private var name: String
    /// Whether the cursor is declared.
    private var isOpen = false
    private var isAtEnd = false
    /// Rows that were decoded while others were received.
    private var batches: [RowBatch] = []
    /// Why the rows behind them could not be decoded.
    private var failure: StoreError?
    /// The blocks of the next round trip.
    private var blockCount = 1
    /// The rows that the server has sent, and those that were decoded with their bytes.
    private var progress = (sent: 0, rows: 0, bytes: 0)
    private var size = RowBatchSize()

    init(_ query: PreparedQuery, on snapshot: PostgresSnapshot) throws(StoreError) {
        let core = snapshot.core
        self.snapshot = snapshot
        cancellation = query.query.cancellation
        let (compiled, select) = try QueryCompiler(core).rows(query)
        guard let plan = compiled.plan as? RowPlan else { throw core.damagedState }
        self.plan = plan
        self.select = select
        isDirect = (query.query.limit ?? .max) <= Self.blockSize
        name = snapshot.reader.nextCursorName()
    }

    deinit {
        guard isOpen, !isAtEnd, !snapshot.core.process.isInherited else { return }
        var pipeline = Pipeline()
        pipeline.add("CLOSE \(name)", prepared: false)
        _ = try? snapshot.withReading { (reading) throws(StoreError) in
            _ = try reading.run(pipeline)
        }
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        let maximum = max(maximumRows, 1)
        while true {
            try snapshot.core.checkUsable()
            if let cancellation, cancellation.isCancelled { throw StoreCore.cancelled }
            if !batches.isEmpty { return first(maximum) }
            if let failure { throw failure }
            if isAtEnd { return nil }
            try fetchBlocks(maximum)
        }
    }

    /// Takes rows that were decoded already.
    private func first(_ maximum: Int) -> RowBatch {
        let batch = batches.removeFirst()
        if batch.count <= maximum { return batch }
        // Somebody wants fewer rows than at the call before.
        batches.insert(copy(batch[maximum...]), at: 0)
        return copy(batch[..<maximum])
    }

    private func copy(_ rows: Slice<RowBatch>) -> RowBatch {
        var builder = RowBatchBuilder(capacity: rows.count * 160, rows: rows.count)
        for row in rows {
            builder.append(
                row, layout: snapshot.core.model[row.entityID].layout, version: row.version)
        }
        return builder.finish()
    }

    private func fetchBlocks(_ maximum: Int) throws(StoreError) {
        var statements = statements()
        let before = progress
        // A failure leaves no cursor to close.
        isAtEnd = true
        let last = try snapshot.withReading(cancellation) { (reading) throws(StoreError) in
            try reading.runGuarded(
                statements.pipeline,
                again: { [self] in
                    // Nobody knows how far the server moved the cursor, so there is a new one.
                    (batches, failure, progress) = ([], nil, before)
                    name = snapshot.reader.nextCursorName()
                    isOpen = false
                    statements = self.statements()
                    return statements.pipeline
                }
            ) { [self] index, result in
                if index >= statements.firstBlock { decode(result, maximum) }
            }.last
        }
        isOpen = !isDirect
        isAtEnd = isDirect || (last?.rowCount ?? 0) < Self.blockSize
        let blockBytes = progress.bytes * Self.blockSize / max(progress.rows, 1)
        let most = min(Self.mostBlocks, Self.mostBytes / max(blockBytes, 1))
        blockCount = max(1, min(blockCount * 2, most))
    }

    /// The statements of a round trip, of which the last return blocks.
    private func statements() -> (pipeline: Pipeline, firstBlock: Int) {
        var pipeline = Pipeline()
        if isDirect {
            pipeline.add(select.statement, select.bound)
            return (pipeline, 0)
        }
        if !isOpen {
            let text = "DECLARE \(name) NO SCROLL CURSOR FOR \(select.text.sql)"
            pipeline.add(Statement(text, prepared: false), select.bound)
            if progress.sent > 0 {
                pipeline.add("MOVE FORWARD \(progress.sent) FROM \(name)", prepared: false)
            }
        }
        let firstBlock = pipeline.count
        for _ in 0..<blockCount {
            pipeline.add("FETCH \(Self.blockSize) FROM \(name)", prepared: false)
        }
        return (pipeline, firstBlock)
    }

    /// Decodes a block, in batches of at most so many rows.
    private func decode(_ block: ResultSet, _ maximum: Int) {
        progress.sent += block.rowCount
        if failure != nil { return }
        do throws(StoreError) {
            var next = 0
            while next < block.rowCount { try decode(block, &next, maximum) }
        } catch {
            failure = error
        }
    }

    private func decode(
        _ block: ResultSet, _ next: inout Int, _ maximum: Int
    ) throws(StoreError) {
        let decoder = RowDecoder(plan: plan, core: snapshot.core)
        let expected = size.rows(atMost: min(maximum, block.rowCount - next))
        var builder = RowBatchBuilder(capacity: size.bytes(forRows: expected), rows: expected)
        while next < block.rowCount, builder.count < maximum, !builder.isFull {
            try decoder.add(next, of: block, to: &builder)
            next += 1
        }
        if builder.count == 0 { return }
        snapshot.core.counters.noteRows(builder.count)
        progress.rows += builder.count
        progress.bytes += builder.byteCount
        size.note(builder)
        batches.append(builder.finish())
    }
}
