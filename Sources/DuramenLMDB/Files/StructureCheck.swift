import DuramenModel
import DuramenStore

/// Checks the structure of a data file before the engine maps it.
///
/// The engine trusts its file: a damaged one crashes the process. This reads every page, node and
/// table with plain reads, and checks that no page is used twice. Values are not checked; each
/// record has its own checksum.
struct StructureCheck {
    let file: FilePages
    let meta: MetaPage
    /// By page of the file.
    private var isUsed: [Bool]
    private var freePages: [Int] = []

    /// A description of the damage for the error's detail.
    struct Damage: Error { var what: String }

    // Flags of pages and nodes.
    private enum Flag {
        static let branch = 0x01
        static let leaf = 0x02
        static let overflow = 0x04
        static let dirty = 0x10
        static let isOverflowing = 0x01
        static let isTable = 0x02
        static let hasDuplicates = 0x04
    }

    private enum Kind { case free, main, table }

    static let pageHead = 16
    static let nodeHead = 8
    static let deepest = 32

    init(_ file: FilePages, _ meta: MetaPage) {
        self.file = file
        self.meta = meta
        let pages = min(file.byteCount / meta.pageBytes, max(meta.lastPage, 1) &+ 1)
        isUsed = [Bool](repeating: false, count: max(pages, 2))
        isUsed[0] = true
        isUsed[1] = true
    }

    func need(_ condition: Bool, _ what: @autoclosure () -> String) throws(Damage) {
        if !condition { throw Damage(what: what()) }
    }

    // MARK: - The walk

    /// Checks everything that belongs to the state.
    mutating func run() throws(Damage) {
        try walk(meta.free, .free)
        try walk(meta.main, .main)
        var beyond: Set<Int> = []
        for page in freePages {
            try need(page >= 2 && page <= meta.lastPage, "a free page is outside of the file")
            let isNew =
                page < isUsed.count ? !isUsed[page] : beyond.insert(page).inserted
            try need(isNew, "page \(page) is free twice, or in use")
            if page < isUsed.count { isUsed[page] = true }
        }
        // Pages that are free at the end of a transaction are not written.
        try need(
            meta.lastPage &- isUsed.count < beyond.count, "the file ends before its last page")
    }

    private mutating func walk(_ table: MetaPage.TableRecord, _ kind: Kind) throws(Damage) {
        // A store has no tables of other kinds.
        let integerKeys = MetaPage.TableRecord.integerKeys
        try need(
            table.flags == 0 && kind != .free || table.flags == integerKeys && kind != .main,
            "a table has flags of another one")
        if table.isEmpty {
            try need(
                table.depth == 0 && table.branchPages == 0 && table.leafPages == 0
                    && table.overflowPages == 0 && table.entries == 0, "an empty table has pages")
            return
        }
        try need(table.depth >= 1 && table.depth <= Self.deepest, "a table is too deep")
        var counts = Counts()
        try walk(page: table.root, level: 1, of: table, kind, within: Bounds(), &counts)
        try need(
            counts.branch == table.branchPages && counts.leaf == table.leafPages
                && counts.overflow == table.overflowPages && counts.entries == table.entries,
            "a table's counts are wrong")
    }

    private struct Counts {
        var branch = 0
        var leaf = 0
        var overflow = 0
        var entries = 0
    }

    private mutating func use(_ page: Int) throws(Damage) {
        try need(page >= 2 && page < isUsed.count, "a page is outside of the file")
        try need(!isUsed[page], "page \(page) is used twice")
        isUsed[page] = true
    }

    func bytes(of page: Int, count pages: Int = 1) throws(Damage) -> PageBytes {
        // Check before multiplying: damaged files may have huge numbers.
        guard page >= 0, page < file.byteCount / meta.pageBytes,
            let bytes = file.bytes(at: page * meta.pageBytes, count: pages * meta.pageBytes)
        else {
            throw Damage(what: "page \(page) cannot be read")
        }
        try need(bytes.number(0, UInt64.self) == page, "page \(page) has another number")
        return bytes
    }

    /// A node of a page, whose key is within the page.
    struct Node {
        /// The offset in its page.
        let place: Int
        let key: UnsafeRawBufferPointer
        /// The end of its key.
        let keyEnd: Int
        let low: Int
        let flags: Int

        /// The page below the node, in a branch.
        var child: Int { low | flags << 32 }
    }

    /// The nodes of a page. Their keys are valid while the page is retained.
    func nodes(
        _ page: PageBytes, _ number: Int, _ isLeaf: Bool
    ) throws(Damage) -> [Node] {
        try need(
            page.number(10, UInt16.self) & ~Flag.dirty == (isLeaf ? Flag.leaf : Flag.branch),
            "page \(number) is of the wrong kind")
        let lower = page.number(12, UInt16.self)
        let upper = page.number(14, UInt16.self)
        try need(
            lower >= Self.pageHead && lower <= upper && upper <= meta.pageBytes && lower & 1 == 0,
            "page \(number) has wrong bounds")
        let count = (lower - Self.pageHead) / 2
        try need(count >= (isLeaf ? 1 : 2), "page \(number) has too few nodes")
        var nodes: [Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            let place = page.number(Self.pageHead + 2 * index, UInt16.self)
            try need(
                place >= upper && place <= meta.pageBytes - Self.nodeHead,
                "page \(number) has a node outside of it")
            let start = place + Self.nodeHead
            let end = start + page.number(place + 6, UInt16.self)
            try need(end <= meta.pageBytes, "page \(number) has a key outside of it")
            nodes.append(
                Node(
                    place: place, key: page.slice(start..<end), keyEnd: end,
                    low: page.number(place, UInt16.self)
                        | page.number(place + 2, UInt16.self) << 16,
                    flags: page.number(place + 4, UInt16.self)))
        }
        return nodes
    }

    /// The allowed keys of a page, according to the branches above it.
    private struct Bounds {
        /// The smallest key; nil for no limit.
        var lower: UnsafeRawBufferPointer?
        /// An upper limit that is larger than all keys; nil for no limit.
        var upper: UnsafeRawBufferPointer?
    }

    /// Checks a page and those below it; the table's depth limits the recursion.
    private mutating func walk(
        page number: Int, level: Int, of table: MetaPage.TableRecord, _ kind: Kind,
        within bounds: Bounds, _ counts: inout Counts
    ) throws(Damage) {
        try use(number)
        let page = try bytes(of: number)
        // Keys point into the page.
        defer { withExtendedLifetime(page) {} }
        let isLeaf = level == table.depth
        let nodes = try self.nodes(page, number, isLeaf)
        if isLeaf { counts.leaf += 1 } else { counts.branch += 1 }
        try checkKeys(of: isLeaf ? nodes[...] : nodes.dropFirst(), in: table, kind, bounds, number)
        var spans: [Range<Int>] = []
        spans.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            if isLeaf {
                counts.entries += 1
                spans.append(
                    node.place..<(try value(of: node, page, number, kind, &counts)))
            } else {
                spans.append(node.place..<node.keyEnd)
                let below = Bounds(
                    lower: index == 0 ? bounds.lower : node.key,
                    upper: index + 1 < nodes.count ? nodes[index + 1].key : bounds.upper)
                try walk(
                    page: node.child, level: level + 1, of: table, kind, within: below, &counts)
            }
        }
        spans.sort { $0.lowerBound < $1.lowerBound }
        for (span, next) in zip(spans, spans.dropFirst()) {
            // Nodes begin at even offsets.
            try need(
                span.upperBound <= next.lowerBound + 1, "page \(number) has nodes in each other")
        }
    }

    /// Checks the order of keys. The first key of a branch represents all smaller ones, and is
    /// skipped.
    private func checkKeys(
        of nodes: ArraySlice<Node>, in table: MetaPage.TableRecord, _ kind: Kind, _ bounds: Bounds,
        _ number: Int
    ) throws(Damage) {
        let areIntegers = table.hasIntegerKeys || kind == .free
        var previous: UnsafeRawBufferPointer?
        for node in nodes {
            let key = node.key
            try need(key.count >= 1 && key.count <= KeyBuilder.engineLimit, "a key is too long")
            if areIntegers {
                try need(key.count == 8, "an integer key of page \(number) has other bytes")
            }
            if let previous {
                try need(
                    Self.isBefore(previous, key, areIntegers),
                    "the keys of page \(number) are out of order")
            }
            previous = key
        }
        // The keys are in order, so only the first and the last need be checked.
        guard let first = nodes.first?.key, let last = previous else { return }
        if let lower = bounds.lower {
            try need(
                !Self.isBefore(first, lower, areIntegers),
                "page \(number) has keys of the page before it")
        }
        if let upper = bounds.upper {
            try need(
                Self.isBefore(last, upper, areIntegers),
                "page \(number) has keys of the page behind it")
        }
    }

    private static func isBefore(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ areIntegers: Bool
    ) -> Bool {
        areIntegers
            ? a.loadUnaligned(as: UInt64.self) < b.loadUnaligned(as: UInt64.self)
            : StoredText.compare(a, b) < 0
    }

    /// Checks the value of a node.
    ///
    /// - Returns: The end of the node in its page.
    private mutating func value(
        of node: Node, _ page: PageBytes, _ number: Int, _ kind: Kind, _ counts: inout Counts
    ) throws(Damage) -> Int {
        let (start, count, flags) = (node.keyEnd, node.low, node.flags)
        try need(flags & ~0x07 == 0, "a node of page \(number) has unknown flags")
        try need(flags & Flag.hasDuplicates == 0, "a node of page \(number) has several values")
        let end: Int
        let bytes: PageBytes
        let range: Range<Int>
        if flags & Flag.isOverflowing != 0 {
            end = start + 8
            try need(end <= meta.pageBytes, "a node of page \(number) is outside of it")
            bytes = try overflow(
                page.number(start, UInt64.self), holding: count, isRead: kind == .free, &counts)
            range = Self.pageHead..<Self.pageHead + count
        } else {
            end = start + count
            try need(end <= meta.pageBytes, "a value of page \(number) is outside of it")
            bytes = page
            range = start..<end
        }
        if flags & Flag.isTable != 0 {
            try need(
                kind == .main && count == MetaPage.TableRecord.byteCount
                    && flags & Flag.isOverflowing == 0, "a table's record is damaged")
            try walk(MetaPage.TableRecord(bytes, at: range.lowerBound), .table)
        } else if kind == .main {
            try need(
                node.key.elementsEqual(Table.Name.newestSaves),
                "the main table holds something else than tables and the newest saves")
        }
        if kind == .free { try noteFree(bytes.slice(range)) }
        return end
    }

    /// Checks the pages of a long value.
    ///
    /// - Parameters:
    ///   - first: The first page.
    ///   - count: The number of bytes.
    ///   - isRead: Whether to read all of it instead of only its first page.
    ///   - counts: Counts the pages.
    private mutating func overflow(
        _ first: Int, holding count: Int, isRead: Bool, _ counts: inout Counts
    ) throws(Damage) -> PageBytes {
        let pages = (count + Self.pageHead + meta.pageBytes - 1) / meta.pageBytes
        try need(
            first >= 2 && pages >= 1 && first <= isUsed.count - pages,
            "a long value is outside of the file")
        for page in first..<first + pages { try use(page) }
        let bytes = try self.bytes(of: first, count: isRead ? pages : 1)
        try need(
            bytes.number(10, UInt16.self) & ~Flag.dirty == Flag.overflow
                && bytes.number(12, UInt32.self) == pages, "page \(first) begins no long value")
        counts.overflow += pages
        return bytes
    }

    private mutating func noteFree(_ list: UnsafeRawBufferPointer) throws(Damage) {
        try need(list.count >= 8 && list.count % 8 == 0, "a list of free pages is damaged")
        let count = Int(truncatingIfNeeded: list.loadUnaligned(as: UInt64.self))
        try need(count >= 0 && count <= list.count / 8 - 1, "a list of free pages is too short")
        var previous = Int.max
        for place in 0..<count {
            let page = Int(
                truncatingIfNeeded: list.loadUnaligned(
                    fromByteOffset: 8 * (place + 1), as: UInt64.self))
            try need(page < previous, "a list of free pages is out of order")
            previous = page
            freePages.append(page)
        }
    }
}
