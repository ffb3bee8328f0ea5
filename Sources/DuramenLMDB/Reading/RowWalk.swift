import CProcessor
import DuramenModel
import DuramenQuery
import DuramenStore

/// Iterates over the rows of a plan that have the query's entities.
final class RowWalk {
    private enum Path {
        case table
        case keys([Int64])
        case index(IndexWalk)
    }

    private let question: Question
    private let rows: RowReading
    private let cursor: TableCursor
    private let isWanted: [Bool]
    private let path: Path
    // The index of the next key.
    private var place = 0
    private var size = RowBatchSize()
    private let pageBytes: Int
    // The bytes that memory loads until the iteration arrives there, and some twenty records.
    private static let bytesToNear = 1_024
    private static let bytesToFar = 3_072
    // A record of the usual size, at any alignment.
    private static let bytesAtOnce = 192

    init(_ question: Question, plan: QueryPlan, rows: RowReading) throws(StoreError) {
        self.question = question
        self.rows = rows
        let entity = question.entity
        cursor = try rows.transaction.cursor(question.schema.places[entity.id.index].rows)
        pageBytes = rows.transaction.environment.pageBytes
        var isWanted = [Bool](repeating: false, count: question.schema.places.count)
        for id in question.query.includesSubentities ? entity.family : [entity.id] {
            isWanted[id.index] = true
        }
        self.isWanted = isWanted
        switch plan {
        case .table: path = .table
        case .keys(let keys): path = .keys(keys)
        case .index(_, let ranges, .byKey):
            path = .keys(try IndexWalk.allKeys(ranges, rows))
        case .index(_, let ranges, .asAsked(let isReversed)):
            path = .index(
                try IndexWalk(question, ranges: ranges, isReversed: isReversed, rows: rows))
        }
    }

    /// The head of the next row of the query's entities; nil at the end.
    @inline(__always) private func nextHead() throws(StoreError) -> (RowRecord.Head, EntityID)? {
        while let record = try nextRecord() {
            let head = try rows.head(
                record.value, key: try rows.key(of: record), question.entity.id)
            if let entity = rows.entity(of: head), isWanted[entity.index] { return (head, entity) }
        }
        return nil
    }

    @inline(__always) private func nextRecord() throws(StoreError) -> TableCursor.Record? {
        switch path {
        case .table:
            // A new cursor moves to the first record.
            let record = try cursor.next()
            if let record { expectNext(after: record.value) }
            return record
        case .keys(let keys):
            while place < keys.count {
                place += 1
                if let record = try cursor.find(keys[place - 1]) { return record }
            }
        case .index(let walk):
            while let key = try walk.next() {
                if let record = try cursor.find(key) { return record }
            }
        }
        return nil
    }

    /// Prefetches records that a scan of the table reads later: one in this page, and one further
    /// on.
    ///
    /// The engine fills a page from its end, so records follow each other downwards, which
    /// processors do not predict. They continue at the end of another page: the next one if rows
    /// were appended. If pages are scattered, this prefetch is useless, and harmless.
    @inline(__always) private func expectNext(after record: UnsafeRawBufferPointer) {
        guard let address = record.baseAddress else { return }
        let place = Int(bitPattern: address) & (pageBytes - 1)
        if place >= Self.bytesToNear {
            duramen_prefetch(address - Self.bytesToNear, Self.bytesAtOnce)
        }
        duramen_prefetch(
            address + (place < Self.bytesToFar ? 2 * pageBytes : 0) - Self.bytesToFar,
            Self.bytesAtOnce)
    }

    /// Returns the next rows, up to a number, and fewer when they are large; nil at the end.
    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        var builder = RowBatchBuilder(capacity: size.bytes(forRows: maximumRows))
        while builder.count < maximumRows, !builder.isFull, let (head, _) = try nextHead() {
            try rows.copy(head, to: &builder)
        }
        if builder.count == 0 { return nil }
        size.note(builder)
        return builder.finish()
    }

    /// Adds the next rows, up to a number, in their places in the map; none at the end.
    ///
    /// Rows of earlier schemas, and those with values in files, have another form: they are
    /// converted into a block first. The list ends early if they fill the block.
    func next(atMost limit: Int, into group: inout BorrowedRows) throws(StoreError) {
        group.removeAll()
        let limit = min(limit, BorrowedRows.capacity)
        while group.count < limit, let (head, _) = try nextHead() {
            if rows.isPlain(head) {
                group.append(head.row)
            } else {
                return try convert(head, limit, into: &group)
            }
        }
    }

    /// Continues with a row that has another form in the map.
    private func convert(
        _ first: RowRecord.Head, _ limit: Int, into group: inout BorrowedRows
    ) throws(StoreError) {
        var converted = RowBatchBuilder(capacity: 2 * first.packed.count)
        var next: RowRecord.Head? = first
        while let head = next {
            if rows.isPlain(head) {
                group.append(head.row)
            } else {
                group.reservePlace()
                try rows.copy(head, to: &converted)
            }
            next = group.count < limit && !converted.isFull ? try nextHead()?.0 : nil
        }
        group.fillPlaces(with: converted.finish())
    }

    /// Skips rows.
    ///
    /// - Returns: The number of skipped rows, at most `count`.
    func skip(_ count: Int) throws(StoreError) -> Int {
        var skipped = 0
        while skipped < count, try nextHead() != nil { skipped += 1 }
        // At the end no more rows can be skipped.
        return skipped < count ? count : skipped
    }

    /// Calls `body` with the IDs of the rows.
    func forEachID(
        atMost limit: Int, _ body: (ManagedObjectID) throws(StoreError) -> Void,
        whileTrue check: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let schema = question.schema
        var count = 0
        while count < limit, let (head, entity) = try nextHead() {
            try body(
                ManagedObjectID(
                    store: schema.handle, entity: schema.model[entity].handle, key: head.row.key))
            count += 1
            if count & 511 == 0 { try check() }
        }
    }
}
