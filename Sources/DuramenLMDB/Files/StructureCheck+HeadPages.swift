import DuramenFileStore
import DuramenStore

// The state to check is the one that the file's head pages define, which the engine will read.
extension StructureCheck {
    /// Checks both head pages, and whether the first table is a store's. This is cheap, for every
    /// opening.
    ///
    /// - Throws: `.foreignFile`, `.damagedFile`.
    static func checkHead(_ folder: StoreFolder) throws(StoreError) {
        _ = try head(folder)
    }

    /// Checks all of the file, in time proportional to its length.
    static func checkAll(_ folder: StoreFolder) throws(StoreError) {
        var check = try head(folder)
        // Read in disk order first, because the check reads in the order of the keys.
        check.file.readThrough()
        do throws(Damage) {
            try check.run()
        } catch {
            throw damaged(folder, error.what)
        }
    }

    /// Checks the state that a transaction reads, in the file that the engine has open.
    ///
    /// Pages of a state are not overwritten while it is read. Its head page is overwritten by the
    /// second commit after it; then nothing is checked.
    static func checkState(of transaction: Transaction) throws(StoreError) {
        let path = transaction.environment.path
        guard let file = transaction.environment.pages, let pages = MetaPage.both(of: file) else {
            throw StoreError(
                .damagedFile, "A head page of '\(path)' is damaged; restore a copy.")
        }
        guard let meta = pages.first(where: { $0.transaction == transaction.stateNumber }) else {
            return
        }
        var check = StructureCheck(file, meta)
        do throws(Damage) {
            try check.run()
        } catch {
            throw StoreError(
                .damagedFile, "The file of '\(path)' is damaged; restore a copy.",
                detail: error.what)
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
        // Of two equal ones the engine uses the first. It also finds the head page by the state's
        // number: even numbers are in the first page.
        let place = pages[1].transaction > pages[0].transaction ? 1 : 0
        let check = StructureCheck(file, pages[place])
        guard pages[place].transaction & 1 == place,
            check.isNewer(than: StructureCheck(file, pages[1 - place]), in: folder)
        else { throw damaged(folder, "the number of a head page is damaged") }
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

    // MARK: - Head pages

    /// The name of the first table; empty for none.
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

    /// Whether the head page with the larger number is that of the newer state.
    ///
    /// Every transaction lists the pages that it frees under its own number, so the newer state has
    /// the later list. A damaged number would silently make the engine use the older state. After a
    /// loss of power the other page may be incomplete, so it is used only if its whole state is in
    /// the file.
    private func isNewer(than other: StructureCheck, in folder: StoreFolder) -> Bool {
        guard let last = other.lastFreeKey, last > lastFreeKey ?? 0 else { return true }
        // If a head page cannot be written, the engine writes it again, with the previous number
        // and the tables of the failed commit. Nobody leaves a mark after that.
        if last == other.meta.transaction + 2, last == meta.transaction + 1,
            !CheckMark.isNewerThanWrites(folder)
        {
            return true
        }
        var other = other
        do throws(Damage) { try other.run() } catch { return true }
        return false
    }

    /// The number of the last transaction that recorded freed pages; nil if there is none, or none
    /// of its pages exist.
    private var lastFreeKey: UInt64? {
        var number = meta.free.root
        guard !meta.free.isEmpty, meta.free.depth >= 1, meta.free.depth <= Self.deepest else {
            return nil
        }
        for level in 1...meta.free.depth {
            let isLeaf = level == meta.free.depth
            guard let page = try? bytes(of: number),
                let nodes = try? self.nodes(page, number, isLeaf),
                let last = nodes.last
            else { return nil }
            if isLeaf {
                return last.key.count == 8 ? last.key.loadUnaligned(as: UInt64.self) : nil
            }
            number = last.child
        }
        return nil
    }
}
