import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

/// Iterates over the keys of an index in the order of its values; equal values by ascending key, in
/// both directions.
final class IndexWalk {
    private let question: Question
    private let rows: RowReading
    private let ranges: [KeyRange]
    private let isReversed: Bool
    private let cursor: TableCursor
    private var range = 0
    private var record: TableCursor.Record?
    /// Keys with equal values, in the order of iteration.
    private var run: [Int64] = []
    private var runPlace = 0

    init(
        _ question: Question, ranges: [KeyRange], isReversed: Bool, rows: RowReading
    ) throws(StoreError) {
        self.question = question
        self.rows = rows
        self.ranges = isReversed ? ranges.reversed() : ranges
        self.isReversed = isReversed
        cursor = try rows.transaction.cursor(question.schema.tables.index)
        try beginRange()
    }

    /// Returns all keys of ranges, ascending and distinct.
    static func allKeys(
        _ ranges: [KeyRange], _ rows: RowReading
    ) throws(StoreError) -> [Int64] {
        let cursor = try rows.transaction.cursor(rows.schema.tables.index)
        var keys: [Int64] = []
        for range in ranges {
            var record = try range.lower.withBytes { (lower) throws(StoreError) in
                try rows.soundSeek(lower, cursor)
            }
            while let found = record {
                let key = try RowReading.primaryKey(found, path: rows.schema.path)
                guard isBefore(found.key, range.upper) else { break }
                keys.append(key)
                record = try cursor.next()
            }
        }
        keys.sort()
        return keys
    }

    private static func isBefore(_ key: UnsafeRawBufferPointer, _ end: [UInt8]) -> Bool {
        end.withUnsafeBytes { StoredText.compare(key, $0) < 0 }
    }

    /// Returns the next key; nil at the end.
    func next() throws(StoreError) -> Int64? {
        while runPlace == run.count {
            guard try fillRun() else { return nil }
        }
        defer { runPlace += 1 }
        return run[runPlace]
    }

    private func beginRange() throws(StoreError) {
        record = nil
        while record == nil, range < ranges.count {
            let current = ranges[range]
            if isReversed {
                let last = try current.upper.withBytes { (upper) throws(StoreError) in
                    try rows.soundSeekBefore(upper, cursor)
                }
                record = try inside(last)
            } else {
                let first = try current.lower.withBytes { (lower) throws(StoreError) in
                    try rows.soundSeek(lower, cursor)
                }
                record = try inside(first)
            }
            if record == nil { range += 1 }
        }
    }

    /// Collects the keys of the next value.
    private func fillRun() throws(StoreError) -> Bool {
        run.removeAll(keepingCapacity: true)
        runPlace = 0
        guard let current = record else { return false }
        if !isReversed, current.key.count < KeyBuilder.engineLimit {
            run.append(try RowReading.primaryKey(current, path: rows.schema.path))
            try go(to: try cursor.next())
            return true
        }
        let value = Array(current.key.dropLast(8))
        var next: TableCursor.Record? = current
        if isReversed {
            // Goes backwards to the first key of the value.
            while let found = next, Self.hasValue(found.key, value) {
                run.append(try RowReading.primaryKey(found, path: rows.schema.path))
                next = try cursor.previous()
            }
            run.reverse()
        } else {
            while let found = next, Self.hasValue(found.key, value) {
                run.append(try RowReading.primaryKey(found, path: rows.schema.path))
                next = try cursor.next()
            }
        }
        try go(to: next)
        if value.count == KeyBuilder.valueLimit { try sortRun() }
        return true
    }

    /// Continues with a record, or with the next range if the record is outside of this one.
    private func go(to next: TableCursor.Record?) throws(StoreError) {
        if let next = try inside(next) {
            record = next
            return
        }
        range += 1
        try beginRange()
    }

    /// The record, unless it is outside of the current range; see ``RowReading/soundSeek(_:_:)``.
    private func inside(_ next: TableCursor.Record?) throws(StoreError) -> TableCursor.Record? {
        guard let next else { return nil }
        let isInside =
            isReversed
            ? !Self.isBefore(next.key, ranges[range].lower)
            : Self.isBefore(next.key, ranges[range].upper)
        if isInside { return next }
        try rows.check(next)
        return nil
    }

    private static func hasValue(_ key: UnsafeRawBufferPointer, _ value: [UInt8]) -> Bool {
        key.count == value.count + 8 && key.starts(with: value)
    }

    /// Sorts keys by the complete values, if their values were cut to equal bytes.
    private func sortRun() throws(StoreError) {
        guard run.count > 1, let order = question.order else { return }
        var items: [BoundSort.Item] = []
        for key in run {
            guard let row = try rows.row(key, in: question.entity.id) else { continue }
            // Rows of other entities are skipped later.
            if !question.entity.family.contains(row.entityID) { continue }
            items.append(
                (row, row.objectID(in: question.schema.model, store: question.schema.handle)))
        }
        try order.sort(&items, in: RowSource(rows))
        run = items.map(\.row.key)
    }
}
