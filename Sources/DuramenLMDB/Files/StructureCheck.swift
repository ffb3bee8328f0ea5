import DuramenModel
import DuramenStore

/// Checks the structure of a data file before the engine maps it.
///
/// The engine trusts its file: a damaged one ends the process by a signal. Every page, node and table is
/// looked at by plain reads, and no page may be used twice. Values are not looked at; each record has its
/// own checksum for that.
struct StructureCheck {
    private let file: FilePages
    private let meta: MetaPage
    /// By page of the file.
    private var isUsed: [Bool]
    private var freePages: [Int] = []

    /// What is wrong, in words for the error's detail.
    private struct Damage: Error { var what: String }

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

    private static let pageHead = 16
    private static let nodeHead = 8
    private static let deepest = 32

    // MARK: - Entry points

    /// The cheap part, for every opening: both head pages, and whether the first table is one of a store's.
    ///
    /// - Throws: `.foreignFile`, `.damagedFile`.
    static func checkHead(_ folder: StoreFolder) throws(StoreError) {
        _ = try head(folder)
    }

    /// All of the file, in time proportional to its length.
    static func checkAll(_ folder: StoreFolder) throws(StoreError) {
        var check = try head(folder)
        do throws(Damage) {
            try check.run()
        } catch {
            throw damaged(folder, error.what)
        }
    }

    private static func head(_ folder: StoreFolder) throws(StoreError) -> StructureCheck {
        guard let file = FilePages(path: folder.data) else {
            throw folder.unreachable(SystemCalls.accessDenied)
        }
        guard file.byteCount == 0 || MetaPage.isEngineFile(file) else {
            throw StoreError(
                .foreignFile, "'\(folder.data)' is not a file of LMDB; name another store.")
        }
        guard let pages = MetaPage.both(of: file) else {
            throw damaged(folder, "a head page is damaged")
        }
        // Of two equal ones the engine takes the first.
        let meta = pages[1].transaction > pages[0].transaction ? pages[1] : pages[0]
        let check = StructureCheck(file, meta)
        let name: String
        do throws(Damage) {
            name = try check.firstTable()
        } catch {
            throw damaged(folder, error.what)
        }
        if name != Table.Name.edges {
            throw StoreError(
                .foreignFile,
                "'\(folder.path)' is an LMDB environment but not a store; name another one.")
        }
        return check
    }

    private static func damaged(_ folder: StoreFolder, _ what: String) -> StoreError {
        StoreError(
            .damagedFile, "'\(folder.data)' is damaged; restore a copy of '\(folder.path)'.",
            detail: what)
    }

    // MARK: - The walk

    private init(_ file: FilePages, _ meta: MetaPage) {
        self.file = file
        self.meta = meta
        let pages = min(file.byteCount / meta.pageBytes, max(meta.lastPage, 1) &+ 1)
        isUsed = [Bool](repeating: false, count: max(pages, 2))
        isUsed[0] = true
        isUsed[1] = true
    }

    private func need(_ condition: Bool, _ what: @autoclosure () -> String) throws(Damage) {
        if !condition { throw Damage(what: what()) }
    }

    /// The name of the first table; empty when there is none.
    private func firstTable() throws(Damage) -> String {
        if meta.main.isEmpty { return "" }
        var number = meta.main.root
        for level in 1...max(meta.main.depth, 1) {
            try need(level <= Self.deepest, "a table is too deep")
            let page = try bytes(of: number)
            let place = page.number(Self.pageHead, UInt16.self)
            try need(
                page.number(12, UInt16.self) > Self.pageHead
                    && place <= meta.pageBytes - Self.nodeHead, "page \(number) has no nodes")
            if level == meta.main.depth {
                let start = place + Self.nodeHead
                let end = start + page.number(place + 6, UInt16.self)
                try need(end <= meta.pageBytes, "page \(number) has a key outside of it")
                return String(decoding: page.slice(start..<end), as: UTF8.self)
            }
            let low = page.number(place, UInt16.self) | page.number(place + 2, UInt16.self) << 16
            number = low | page.number(place + 4, UInt16.self) << 32
        }
        return ""
    }

    private mutating func run() throws(Damage) {
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
        // Pages that are free when a transaction ends are not written.
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
        try walk(page: table.root, level: 1, of: table, kind, &counts)
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

    private func bytes(of page: Int, count pages: Int = 1) throws(Damage) -> PageBytes {
        // Numbers of damaged files are too large to be multiplied.
        guard page >= 0, page < file.byteCount / meta.pageBytes,
            let bytes = file.bytes(at: page * meta.pageBytes, count: pages * meta.pageBytes)
        else {
            throw Damage(what: "page \(page) cannot be read")
        }
        try need(bytes.number(0, UInt64.self) == page, "page \(page) has another number")
        return bytes
    }

    /// Walks through a page and those below it; their depth is bounded by that of the table.
    private mutating func walk(
        page number: Int, level: Int, of table: MetaPage.TableRecord, _ kind: Kind,
        _ counts: inout Counts
    ) throws(Damage) {
        try use(number)
        let page = try bytes(of: number)
        let isLeaf = level == table.depth
        try need(
            page.number(10, UInt16.self) & ~Flag.dirty == (isLeaf ? Flag.leaf : Flag.branch),
            "page \(number) is of the wrong kind")
        let lower = page.number(12, UInt16.self)
        let upper = page.number(14, UInt16.self)
        try need(
            lower >= Self.pageHead && lower <= upper && upper <= meta.pageBytes && lower & 1 == 0,
            "page \(number) has wrong bounds")
        let nodes = (lower - Self.pageHead) / 2
        try need(nodes >= (isLeaf ? 1 : 2), "page \(number) has too few nodes")
        if isLeaf { counts.leaf += 1 } else { counts.branch += 1 }
        var spans: [Range<Int>] = []
        var previous: UnsafeRawBufferPointer?
        for index in 0..<nodes {
            let place = page.number(Self.pageHead + 2 * index, UInt16.self)
            try need(
                place >= upper && place <= meta.pageBytes - Self.nodeHead,
                "page \(number) has a node outside of it")
            let keyBytes = page.number(place + 6, UInt16.self)
            let keyStart = place + Self.nodeHead
            try need(
                keyStart + keyBytes <= meta.pageBytes, "page \(number) has a key outside of it")
            let key = page.slice(keyStart..<keyStart + keyBytes)
            // The first key of a branch stands for all that are smaller.
            if isLeaf || index > 0 {
                try check(key, behind: previous, in: table, kind, number)
                previous = key
            }
            let low = page.number(place, UInt16.self) | page.number(place + 2, UInt16.self) << 16
            let flags = page.number(place + 4, UInt16.self)
            if isLeaf {
                counts.entries += 1
                spans.append(
                    place..<(try value(
                        of: key, page, number, at: keyStart + keyBytes, count: low, flags, kind,
                        &counts))
                )
            } else {
                spans.append(place..<keyStart + keyBytes)
                try walk(
                    page: low | flags << 32, level: level + 1, of: table, kind, &counts)
            }
        }
        spans.sort { $0.lowerBound < $1.lowerBound }
        for (span, next) in zip(spans, spans.dropFirst()) {
            // Nodes begin at even places.
            try need(
                span.upperBound <= next.lowerBound + 1, "page \(number) has nodes in each other")
        }
    }

    private func check(
        _ key: UnsafeRawBufferPointer, behind previous: UnsafeRawBufferPointer?,
        in table: MetaPage.TableRecord, _ kind: Kind, _ number: Int
    ) throws(Damage) {
        try need(key.count >= 1 && key.count <= KeyBuilder.engineLimit, "a key is too long")
        if table.hasIntegerKeys || kind == .free {
            try need(key.count == 8, "an integer key of page \(number) has other bytes")
            guard let previous else { return }
            try need(
                previous.loadUnaligned(as: UInt64.self) < key.loadUnaligned(as: UInt64.self),
                "the keys of page \(number) are out of order")
        } else if let previous {
            try need(
                StoredText.compare(previous, key) < 0, "the keys of page \(number) are out of order"
            )
        }
    }

    /// Checks the value of a node.
    ///
    /// - Returns: The end of the node in its page.
    private mutating func value(
        of key: UnsafeRawBufferPointer, _ page: PageBytes, _ number: Int, at start: Int, count: Int,
        _ flags: Int, _ kind: Kind, _ counts: inout Counts
    ) throws(Damage) -> Int {
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
                key.elementsEqual(Table.Name.newestSaves),
                "the main table holds something else than tables and the newest saves")
        }
        if kind == .free { try noteFree(bytes.slice(range)) }
        return end
    }

    /// Checks the pages of a long value.
    ///
    /// - Parameter isRead: Whether all of it is needed, and not only its first page.
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
