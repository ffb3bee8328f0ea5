import DuramenModel
import DuramenQuery
import DuramenStore

/// The results of a plan, checked again, in order, within the window. Used with its snapshot's lock
/// held.
///
/// ```
///   walk ──► 64 rows in the map ──► predicate ──► (sort) ──► window ──► copied, counted or named
/// ```
/// Rows are checked, sorted and counted in the map, whose pages do not change during the iteration.
/// Only results are copied, once; rows with another form in the map are converted before.
final class QueryRun {
    private let question: Question
    private let walk: RowWalk
    /// Nil if the plan has the order of the query.
    private let order: BoundSort?
    private let source: RowSource
    private var toSkip: Int
    private var toGive: Int
    // Sound: its rows are in pages of the transaction, which does not restart during an iteration.
    // After a loss, the snapshot throws before it uses this run. Unchecked exclusivity, since the
    // snapshot's lock is held.
    /// Rows that were checked together, and which of them are results that were not returned yet.
    @exclusivity(unchecked) private var group = BorrowedRows()
    @exclusivity(unchecked) private var found: UInt64 = 0
    // Sound: its rows are in the same pages as those of `group`, or keep their own blocks.
    /// The sorted results that were not returned yet.
    private var sorted: ArraySlice<Row>?
    private var size = RowBatchSize()
    private var lastCount = 16

    // A batch with results ends here, so that a caller can stop before the whole table is read.
    private static let rowsAtOnce = 4_096

    init(_ question: Question, plan: QueryPlan, rows: RowReading) throws(StoreError) {
        self.question = question
        toSkip = question.query.offset
        toGive = question.query.limit ?? .max
        source = RowSource(rows)
        walk = try RowWalk(question, plan: plan, rows: rows)
        if case .index(_, _, .asAsked) = plan { order = nil } else { order = question.order }
    }

    /// Returns the next results, with the requested slots; nil at the end.
    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        let wanted = min(maximumRows, toGive)
        if wanted <= 0 { return nil }
        let batch = try order == nil ? walked(wanted) : takeSorted(wanted)
        toGive -= batch?.count ?? 0
        return batch
    }

    // MARK: - In the order of the walk

    private func walked(_ wanted: Int) throws(StoreError) -> RowBatch? {
        if question.predicate == nil {
            try stopIfCancelled()
            // Rows can be skipped without decoding them.
            if toSkip > 0 { toSkip -= try walk.skip(toSkip) }
            if question.query.slots == nil { return try walk.next(maximumRows: wanted) }
        }
        var builder = RowBatchBuilder(
            capacity: size.bytes(forRows: min(wanted, lastCount + lastCount / 4)))
        var lookedAt = 0
        while builder.count < wanted, !builder.isFull {
            if found == 0 {
                if builder.count > 0, lookedAt >= Self.rowsAtOnce { break }
                guard try judge(atMost: wanted - builder.count) else { break }
                lookedAt += group.count
                skip()
            }
            copyFound(atMost: wanted - builder.count, to: &builder)
        }
        if builder.count == 0 { return nil }
        size.note(builder)
        lastCount = builder.count
        return builder.finish()
    }

    /// Copies up to a number of results, or until the builder is full.
    private func copyFound(atMost wanted: Int, to builder: inout RowBatchBuilder) {
        let end = builder.count + wanted
        let places = question.schema.places
        var rest = found
        while rest != 0, builder.count < end, !builder.isFull {
            let place = rest.trailingZeroBitCount
            rest &= rest - 1
            if question.query.slots == nil, let packed = group.packed(at: place) {
                builder.append(packed)
            } else {
                copy(group[place], places, to: &builder)
            }
        }
        found = rest
    }

    private func copy(
        _ row: Row, _ places: [StoreSchema.Place], to builder: inout RowBatchBuilder
    ) {
        let layout = places[row.entityID.index].layout
        if let slots = question.query.slots {
            builder.append(row, slots: slots, layout: layout)
        } else {
            builder.append(row, layout: layout, version: row.version)
        }
    }

    /// Checks the next rows of the plan, as many as the results may need, at most 64.
    ///
    /// - Returns: False at the end.
    private func judge(atMost wanted: Int) throws(StoreError) -> Bool {
        try stopIfCancelled()
        let (needed, isTooLarge) = wanted.addingReportingOverflow(toSkip)
        found = 0
        try walk.next(atMost: isTooLarge ? .max : needed, into: &group)
        found = try question.predicate?.matches(group, in: source) ?? group.all
        return group.count > 0
    }

    /// Skips results before the window.
    private func skip() {
        while toSkip > 0, found != 0 {
            found &= found - 1
            toSkip -= 1
        }
    }

    /// Returns the index of the next result, which must exist.
    private func takePlace() -> Int {
        defer { found &= found - 1 }
        return found.trailingZeroBitCount
    }

    // MARK: - Sorted

    private func takeSorted(_ wanted: Int) throws(StoreError) -> RowBatch? {
        if sorted == nil { sorted = try sortedRows() }
        let rows = sorted ?? []
        var builder = RowBatchBuilder(capacity: size.bytes(forRows: min(wanted, rows.count)))
        for row in rows.prefix(wanted) {
            if builder.isFull { break }
            copy(row, question.schema.places, to: &builder)
        }
        sorted = rows.dropFirst(builder.count)
        if builder.count == 0 { return nil }
        size.note(builder)
        return builder.finish()
    }

    /// The results after the skipped ones, in order, in their places in the map.
    private func sortedRows() throws(StoreError) -> ArraySlice<Row> {
        var items: [BoundSort.Item] = []
        while try judge(atMost: .max) {
            while found != 0 {
                let row = group[takePlace()]
                items.append((row, id(of: row)))
            }
        }
        try order?.sort(&items, in: source)
        return items.dropFirst(toSkip).map(\.row)[...]
    }

    // MARK: - IDs and counts

    /// Calls `body` with the IDs of the results, without copying rows.
    func forEachID(_ body: (ManagedObjectID) -> Void) throws(StoreError) {
        if order != nil {
            for row in try sortedRows().prefix(toGive) { body(id(of: row)) }
        } else if question.predicate == nil {
            toSkip -= try walk.skip(toSkip)
            try walk.forEachID(atMost: toGive) { (id) throws(StoreError) in
                body(id)
            } whileTrue: { () throws(StoreError) in
                try stopIfCancelled()
            }
        } else {
            while toGive > 0, try judge(atMost: toGive) {
                skip()
                while found != 0, toGive > 0 {
                    body(id(of: group[takePlace()]))
                    toGive -= 1
                }
            }
        }
    }

    /// Returns the number of results, without copying or sorting rows.
    func count() throws(StoreError) -> Int {
        var count = 0
        if question.predicate == nil {
            toSkip -= try walk.skip(toSkip)
            try walk.forEachID(atMost: toGive) { (_) throws(StoreError) in
                count += 1
            } whileTrue: { () throws(StoreError) in
                try stopIfCancelled()
            }
            return count
        }
        while toGive > 0, try judge(atMost: toGive) {
            skip()
            let given = min(found.nonzeroBitCount, toGive)
            count += given
            toGive -= given
        }
        return count
    }

    private func id(of row: Row) -> ManagedObjectID {
        row.objectID(in: question.schema.model, store: question.schema.handle)
    }

    private func stopIfCancelled() throws(StoreError) {
        if let cancellation = question.query.cancellation, cancellation.isCancelled {
            throw Question.cancelled
        }
    }
}
