import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a plan, looked at again, in order, within the window. Used with its snapshot's lock held.
final class QueryRun {
    private let question: Question
    private let walk: RowWalk
    /// Nil where the walk has the order that is asked for.
    private let order: BoundSort?
    private let source: RowSource
    private var toSkip: Int
    private var toGive: Int
    private var sorted: ArraySlice<Row>?

    init(_ question: Question, plan: QueryPlan, rows: RowReading) throws(StoreError) {
        self.question = question
        toSkip = question.query.offset
        toGive = question.query.limit ?? .max
        source = RowSource(rows)
        walk = try RowWalk(question, plan: plan, rows: rows)
        if case .index(_, _, .asAsked) = plan { order = nil } else { order = question.order }
    }

    /// The next results, of which those slots are there that are asked for; nil at the end.
    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        guard let batch = try nextWhole(maximumRows: maximumRows) else { return nil }
        return question.query.slots == nil ? batch : copy(batch)
    }

    private func nextWhole(maximumRows: Int) throws(StoreError) -> RowBatch? {
        let wanted = min(maximumRows, toGive)
        if wanted <= 0 { return nil }
        if order != nil { return try nextSorted(wanted) }
        while true {
            // Rows that are skipped without being looked at need not be copied.
            if question.predicate == nil, toSkip > 0 { toSkip -= try walk.skip(toSkip) }
            guard let batch = try walk.next(maximumRows: wanted) else { return nil }
            let results = try matches(batch)
            if results.isEmpty { continue }
            toGive -= results.count
            return results
        }
    }

    /// The rows of a batch that fulfil the predicate and are in the window.
    private func matches(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        try stopIfCancelled()
        guard let predicate = question.predicate else { return batch }
        var kept: [Row] = []
        for row in batch where kept.count < toGive {
            if try !holds(predicate, row) { continue }
            if toSkip > 0 { toSkip -= 1 } else { kept.append(row) }
        }
        if kept.count == batch.count { return batch }
        return copy(kept)
    }

    private func holds(_ predicate: BoundPredicate, _ row: Row) throws(StoreError) -> Bool {
        try predicate.evaluate(row, id: id(of: row), in: source)
    }

    private func id(of row: Row) -> ManagedObjectID {
        row.objectID(in: question.schema.model, store: question.schema.handle)
    }

    /// Copies rows until a batch of them is full, which those of another batch do not fill before
    /// their end.
    private func copy(_ rows: some Collection<Row>) -> RowBatch {
        var builder = RowBatchBuilder(capacity: rows.count * 128)
        for row in rows {
            if builder.isFull { break }
            let layout = question.schema.places[row.entityID.index].layout
            if let slots = question.query.slots {
                builder.append(row, slots: slots, layout: layout)
            } else {
                builder.append(row, layout: layout, version: row.version)
            }
        }
        return builder.finish()
    }

    // MARK: - Sorting

    private func nextSorted(_ wanted: Int) throws(StoreError) -> RowBatch? {
        if sorted == nil { sorted = try sortedRows() }
        let rest = sorted ?? []
        if rest.isEmpty { return nil }
        let batch = copy(rest.prefix(wanted))
        sorted = rest.dropFirst(batch.count)
        toGive -= batch.count
        return batch
    }

    private func sortedRows() throws(StoreError) -> ArraySlice<Row> {
        var items: [BoundSort.Item] = []
        while let batch = try walk.next(maximumRows: 512) {
            try stopIfCancelled()
            for row in batch {
                if let predicate = question.predicate, try !holds(predicate, row) { continue }
                items.append((row, id(of: row)))
            }
        }
        try order?.sort(&items, in: source)
        return items.dropFirst(question.query.offset).map(\.row)[...]
    }

    // MARK: - IDs

    /// Walks through the IDs of the results; rows are copied only where a predicate or an order reads them.
    func forEachID(_ body: (ManagedObjectID) -> Void) throws(StoreError) {
        if question.predicate == nil, order == nil {
            toSkip -= try walk.skip(toSkip)
            try walk.forEachID(atMost: toGive) { (id) throws(StoreError) in
                body(id)
            } whileTrue: { () throws(StoreError) in
                try stopIfCancelled()
            }
            return
        }
        while let batch = try next(maximumRows: 512) {
            for row in batch { body(id(of: row)) }
        }
    }

    private func stopIfCancelled() throws(StoreError) {
        if let cancellation = question.query.cancellation, cancellation.isCancelled {
            throw Question.cancelled
        }
    }
}
