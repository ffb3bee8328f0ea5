import DuramenModel
import DuramenQuery
import DuramenStore

/// The rows of a plan, looked at again, in order, within the window. Used with its snapshot's lock
/// held.
///
/// ```
///   walk ──► 64 rows in the map ──► predicate ──► (sort) ──► window ──► copied, counted or named
/// ```
/// Rows are judged, sorted and counted in the map, whose pages do not change while the walk lasts.
/// Only results are copied, once; rows that have another form in the map are converted before.
final class QueryRun {
    private let question: Question
    private let walk: RowWalk
    /// Nil where the walk has the order that is asked for.
    private let order: BoundSort?
    private let source: RowSource
    private var toSkip: Int
    private var toGive: Int
    // Sound: its rows stand in pages of the transaction, which is not begun anew while a walk
    // lasts. When it is lost all the same, the snapshot throws before it asks this run for
    // anything. Unchecked exclusivity, since the snapshot's lock is held.
    /// Rows that were judged together, and which of them are results that were not given yet.
    @exclusivity(unchecked) private var group = BorrowedRows()
    @exclusivity(unchecked) private var found: UInt64 = 0
    // Sound: its rows stand in the same pages as those of `group`, or keep blocks of their own.
    /// The results that were not given yet, once they are sorted.
    private var sorted: ArraySlice<Row>?
    private var size = RowBatchSize()
    private var lastCount = 16

    // A batch with results ends here, so that whoever stops early has not waited for a whole table.
    private static let rowsAtOnce = 4_096

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
            // Rows that are skipped without being looked at need not be read.
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

    /// Copies results until there are so many, or the builder is full.
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

    /// Judges the next rows of the walk, as many as may be needed for so many results, or 64.
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

    /// Passes over results that are before the window.
    private func skip() {
        while toSkip > 0, found != 0 {
            found &= found - 1
            toSkip -= 1
        }
    }

    /// The next of the results that were found; there is one.
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

    /// The results behind those to skip, in order, where they stand in the map.
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

    /// Walks through the IDs of the results. No row is copied for them.
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

    /// The number of results. Nothing is copied or sorted for it.
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
