import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Synchronization

/// Steps a statement on a snapshot's connection, a batch at a time.
final class SQLiteCursor: StoreCursor {
    private let snapshot: SQLiteSnapshot
    private let compiled: CompiledQuery
    private let cancellation: CancellationFlag?
    // Nil at the end. Taken out of the connection's cache meanwhile, so that two cursors of one
    // shape use different statements.
    private var statement: Statement?
    private let usesSink: Bool
    private var size = RowBatchSize()
    private var rowCount = 0

    init(_ query: PreparedQuery, on snapshot: SQLiteSnapshot) throws(StoreError) {
        self.snapshot = snapshot
        cancellation = query.query.cancellation
        let (compiled, select) = try QueryCompiler(snapshot.core).rows(query)
        self.compiled = compiled
        usesSink = compiled.usesSink
        snapshot.need(select)
        statement = try snapshot.withSource { (source) throws(StoreError) in
            // The function must exist before the statement is prepared.
            if usesSink { _ = try source.rowSink() }
            return Confined(try select.begin(on: source.connection))
        }.value
    }

    deinit {
        guard statement != nil, !snapshot.core.process.isInherited else { return }
        snapshot.reader.mutex.withLock { _ in finish() }
    }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        guard let current = statement else { return nil }
        try snapshot.core.checkUsable()
        if let cancellation, cancellation.isCancelled { throw Cancellation.error }
        let maximum = max(maximumRows, 1)
        let source = snapshot.reader.source
        return try snapshot.reader.mutex.withLock { (_) throws(StoreError) -> RowBatch? in
            if let lost = snapshot.reader.lost { throw lost }
            let first = rowCount == 0 ? compiled.lastRowCount.load(ordering: .relaxed) : .max
            let expected = size.rows(atMost: min(maximum, max(first, 1)))
            var builder = RowBatchBuilder(
                capacity: size.bytes(forRows: expected), rows: expected)
            let hasMore = try source.connection.readingUnwritten { () throws(StoreError) in
                usesSink
                    ? try source.rowSink().copyRows(
                        of: current, plan: compiled.readPlan, into: &builder, maximum: maximum,
                        connection: source.connection)
                    : try source.copyRows(
                        of: current, with: try source.reader(for: compiled.readPlan),
                        into: &builder,
                        maximum: maximum)
            }
            let count = builder.count
            rowCount += count
            snapshot.core.counters.noteRows(count)
            if !hasMore { finish() }
            if count == 0 { return nil }
            size.note(builder)
            return builder.finish()
        }
    }

    private func finish() {
        guard let done = statement else { return }
        statement = nil
        compiled.lastRowCount.store(rowCount, ordering: .relaxed)
        snapshot.reader.source.connection.giveBack(done, rows: rowCount)
    }
}
