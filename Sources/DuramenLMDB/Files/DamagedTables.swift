import DuramenModel
import DuramenStore

/// Reads the tables of a damaged data file with plain reads, page by page, around what is damaged.
///
/// The engine would crash on such a file. ``StructureCheck`` finds the damage; this goes on behind
/// it.
struct DamagedTables {
    /// A record of a table.
    struct Record {
        let key: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
    }

    private let check: StructureCheck
    private let meta: MetaPage
    /// The parts that could not be read, as sentences.
    private(set) var losses: [String] = []
    private var visited: Set<Int> = []

    private enum Flag {
        static let leaf = 0x02
        static let isOverflowing = 0x01
        static let isTable = 0x02
    }

    /// Reads the newest of the two states whose head page is whole.
    ///
    /// - Throws: `.damagedFile` when neither is.
    init(_ file: FilePages, path: String) throws(StoreError) {
        let first = MetaPage(file, at: 0, number: 0)
        // Without the first page the size of pages is unknown: the second page says where it is.
        let sizes = first.map { [$0.pageBytes] } ?? (9...16).map { 1 << $0 }
        let second = sizes.lazy.compactMap { size in
            MetaPage(file, at: size, number: 1).flatMap { $0.pageBytes == size ? $0 : nil }
        }.first
        let pages = [first, second].compactMap(\.self)
        guard let newest = pages.max(by: { $0.transaction < $1.transaction }) else {
            throw StoreError(
                .damagedFile,
                "Both head pages of '\(path)' are damaged, so that nothing can be read. Restore a backup."
            )
        }
        if pages.count < 2 {
            losses.append("A head page is damaged; the last save may be missing.")
        }
        meta = newest
        check = StructureCheck(file, newest)
    }

    /// The tables by name.
    mutating func tables() throws(StoreError) -> [String: MetaPage.TableRecord] {
        var tables: [String: MetaPage.TableRecord] = [:]
        try forEachNode(of: meta.main, named: "main") { (node, page, _) throws(StoreError) in
            guard node.flags & Flag.isTable != 0, node.low == MetaPage.TableRecord.byteCount,
                node.keyEnd + MetaPage.TableRecord.byteCount <= page.count
            else { return }
            let name = String(decoding: node.key, as: UTF8.self)
            tables[name] = MetaPage.TableRecord(page, at: node.keyEnd)
        }
        return tables
    }

    /// Calls `body` with each record of a table that can be read. The record is valid during the
    /// call.
    mutating func forEachRecord(
        of table: MetaPage.TableRecord, named name: String,
        _ body: (Record) throws(StoreError) -> Void
    ) throws(StoreError) {
        var damaged = 0
        try forEachNode(of: table, named: name) { (node, page, check) throws(StoreError) in
            guard let (bytes, range) = Self.value(of: node, page, check) else {
                damaged += 1
                return
            }
            try body(Record(key: node.key, value: bytes.slice(range)))
            withExtendedLifetime(bytes) {}
        }
        if damaged > 0 { losses.append("\(damaged) long values of the table '\(name)'.") }
    }

    /// The bytes of a node's value; nil when they cannot be read.
    private static func value(
        of node: StructureCheck.Node, _ page: PageBytes, _ check: StructureCheck
    ) -> (PageBytes, Range<Int>)? {
        if node.flags & Flag.isOverflowing == 0 {
            let end = node.keyEnd + node.low
            return end <= page.count ? (page, node.keyEnd..<end) : nil
        }
        guard node.keyEnd + 8 <= page.count else { return nil }
        let size = check.meta.pageBytes
        let pages = (node.low + StructureCheck.pageHead + size - 1) / size
        guard pages <= check.file.byteCount / size,
            let bytes = try? check.bytes(
                of: page.number(node.keyEnd, UInt64.self), count: pages)
        else { return nil }
        return (bytes, StructureCheck.pageHead..<StructureCheck.pageHead + node.low)
    }

    /// Calls `body` with each node of the leaves of a table.
    private mutating func forEachNode(
        of table: MetaPage.TableRecord, named name: String,
        _ body: (StructureCheck.Node, PageBytes, StructureCheck) throws(StoreError) -> Void
    ) throws(StoreError) {
        if table.isEmpty { return }
        visited = []
        var lost = 0
        try walk(table.root, level: 1, &lost, body)
        if lost > 0 { losses.append("\(lost) pages of the table '\(name)', and all behind them.") }
    }

    private mutating func walk(
        _ number: Int, level: Int, _ lost: inout Int,
        _ body: (StructureCheck.Node, PageBytes, StructureCheck) throws(StoreError) -> Void
    ) throws(StoreError) {
        // A page that is met twice is in a circle, or belongs to somebody else.
        guard level <= StructureCheck.deepest, visited.insert(number).inserted,
            let page = try? check.bytes(of: number)
        else {
            lost += 1
            return
        }
        // Keys point into the page.
        defer { withExtendedLifetime(page) {} }
        let isLeaf = page.number(10, UInt16.self) & Flag.leaf != 0
        guard let nodes = try? check.nodes(page, number, isLeaf) else {
            lost += 1
            return
        }
        for node in nodes {
            if isLeaf {
                try body(node, page, check)
            } else {
                try walk(node.child, level: level + 1, &lost, body)
            }
        }
    }
}
