import DuramenModel
import DuramenQuery
import DuramenStore

/// An iterator over the results of a query in order, as uncopied rows of a state.
///
/// ```
///   leaves by key ──► entity and predicate ──► (sort) ──► window
/// ```
struct MemoryWalk {
    private let query: MemoryQuery
    private let source: MemorySource
    private let table: RowTable
    private var place = RowTable.Place()
    /// The rows that may be results, when they are known; nil to examine all.
    private var candidates: ArraySlice<Int64>?
    /// The current leaf, and its results that were not returned yet.
    private var leaf: ContiguousArray<Row> = []
    private var found: UInt64 = 0
    /// The sorted results that were not returned yet.
    private var sorted: ArraySlice<Row>?
    private var toSkip: Int
    private var toGive: Int

    init(_ query: MemoryQuery, in source: MemorySource) {
        self.query = query
        self.source = source
        table = source.state.tables[query.root.index]
        candidates = query.unique.map { $0.keys(in: source.state)[...] }
        toSkip = query.query.offset
        toGive = query.query.limit ?? .max
    }

    /// Calls `body` with the next results.
    ///
    /// - Parameters:
    ///   - maximum: The largest number of results.
    ///   - body: Receives a result; returns false to stop.
    /// - Returns: The number of results; zero only at the end.
    mutating func next(atMost maximum: Int, _ body: (Row) -> Bool) throws(StoreError) -> Int {
        let wanted = min(max(maximum, 1), toGive)
        let count =
            query.order == nil ? try walk(wanted, body) : try takeSorted(wanted, body)
        toGive -= count
        return count
    }

    /// The number of all results, without sorting.
    mutating func count() throws(StoreError) -> Int {
        var all = query.selectsAll ? table.count : 0
        if !query.selectsAll {
            while let rows = nextLeaf() {
                all += try query.matches(rows, in: source).nonzeroBitCount
            }
        }
        return min(max(0, all - toSkip), toGive)
    }

    /// The next rows to examine, at most 64, in the order of their keys; nil at the end.
    private mutating func nextLeaf() -> ContiguousArray<Row>? {
        guard let known = candidates else { return table.leaf(at: &place) }
        let keys = known.prefix(64)
        candidates = known.dropFirst(keys.count)
        return keys.isEmpty ? nil : ContiguousArray(keys.compactMap { table[$0] })
    }

    // MARK: - In the order of the keys

    private mutating func walk(
        _ wanted: Int, _ body: (Row) -> Bool
    ) throws(StoreError) -> Int {
        var count = 0
        while count < wanted {
            if found == 0, try !findLeaf() { break }
            while found != 0, count < wanted {
                let goesOn = body(leaf[found.trailingZeroBitCount])
                found &= found - 1
                count += 1
                if !goesOn { return count }
            }
        }
        return count
    }

    /// Advances to the next leaf with results after the skipped ones.
    private mutating func findLeaf() throws(StoreError) -> Bool {
        while let rows = nextLeaf() {
            found = try query.matches(rows, in: source)
            let skipped = min(toSkip, found.nonzeroBitCount)
            for _ in 0..<skipped { found &= found - 1 }
            toSkip -= skipped
            if found == 0 { continue }
            leaf = rows
            return true
        }
        return false
    }

    // MARK: - In another order

    private mutating func takeSorted(
        _ wanted: Int, _ body: (Row) -> Bool
    ) throws(StoreError) -> Int {
        if sorted == nil { sorted = try sortedRows().dropFirst(toSkip) }
        var rest = sorted ?? []
        sorted = nil
        let last = rest.prefix(wanted).firstIndex { !body($0) }
        let count = last.map { $0 - rest.startIndex + 1 } ?? min(wanted, rest.count)
        rest.removeFirst(count)
        sorted = rest
        return count
    }

    private mutating func sortedRows() throws(StoreError) -> [Row] {
        var items: [BoundSort.Item] = []
        while let rows = nextLeaf() {
            var matches = try query.matches(rows, in: source)
            while matches != 0 {
                let row = rows[matches.trailingZeroBitCount]
                items.append((row, source.id(of: row)))
                matches &= matches - 1
            }
        }
        query.order?.sort(&items, in: source)
        return items.map(\.row)
    }
}
