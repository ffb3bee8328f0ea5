import DuramenModel
import DuramenQuery
import DuramenStore

/// The results of a query in order, as rows where they lie in a state.
///
/// ```
///   leaves by key ──► entity and predicate ──► (sort) ──► window
/// ```
struct MemoryWalk {
    private let query: MemoryQuery
    private let source: MemorySource
    private let table: RowTable
    private var place = RowTable.Place()
    /// What is known of the results and was not given yet: the rest of a leaf, or of all that is sorted.
    private var found: ArraySlice<Row> = []
    private var isSorted = false
    private var toSkip: Int
    private var toGive: Int

    init(_ query: MemoryQuery, in source: MemorySource) {
        self.query = query
        self.source = source
        table = source.state.tables[query.root.index]
        toSkip = query.query.offset
        toGive = query.query.limit ?? .max
    }

    /// The next results, at most so many; empty at the end.
    mutating func next(atMost maximum: Int) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        let wanted = min(max(maximum, 1), toGive)
        while rows.count < wanted {
            if found.isEmpty, try !findMore() { break }
            let part = found.prefix(wanted - rows.count)
            rows += part
            found = found.dropFirst(part.count)
        }
        toGive -= rows.count
        return rows
    }

    /// The number of results; nothing is sorted or copied for it.
    static func count(_ query: MemoryQuery, in source: MemorySource) throws(StoreError) -> Int {
        let table = source.state.tables[query.root.index]
        var (place, all) = (RowTable.Place(), 0)
        if query.selectsAll {
            all = table.count
        } else {
            while let rows = table.leaf(at: &place) {
                all += try query.matches(rows, in: source).nonzeroBitCount
            }
        }
        let rest = max(0, all - query.query.offset)
        return query.query.limit.map { min($0, rest) } ?? rest
    }

    // MARK: - Finding

    private mutating func findMore() throws(StoreError) -> Bool {
        if query.order == nil { return try findLeaf() }
        if isSorted { return false }
        isSorted = true
        found = try sortedRows().dropFirst(toSkip)
        return !found.isEmpty
    }

    /// Goes on to the next leaf with results.
    private mutating func findLeaf() throws(StoreError) -> Bool {
        while let rows = table.leaf(at: &place) {
            let matches = try query.matches(rows, in: source)
            let count = matches.nonzeroBitCount
            if count <= toSkip {
                toSkip -= count
                continue
            }
            found = rows.choosing(matches).dropFirst(toSkip)
            toSkip = 0
            return true
        }
        return false
    }

    private mutating func sortedRows() throws(StoreError) -> [Row] {
        var items: [BoundSort.Item] = []
        while let rows = table.leaf(at: &place) {
            rows.forEach(in: try query.matches(rows, in: source)) { row in
                items.append((row, source.id(of: row)))
            }
        }
        query.order?.sort(&items, in: source)
        return items.map(\.row)
    }
}

extension ContiguousArray<Row> {
    /// The rows of a set of places.
    fileprivate func choosing(_ places: UInt64) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(places.nonzeroBitCount)
        forEach(in: places) { rows.append($0) }
        return rows
    }

    fileprivate func forEach(in places: UInt64, _ body: (Row) -> Void) {
        var rest = places
        while rest != 0 {
            body(self[rest.trailingZeroBitCount])
            rest &= rest - 1
        }
    }
}
