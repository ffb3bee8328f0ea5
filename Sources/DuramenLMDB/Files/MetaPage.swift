/// One of the two pages that define the state of a data file; the newer one is valid.
///
/// Sizes and offsets are those of LMDB 0.9 on 64-bit machines, as in its source.
struct MetaPage {
    static let byteCount = 152

    let transaction: UInt64
    let pageBytes: Int
    let lastPage: Int
    let free: TableRecord
    let main: TableRecord

    /// The engine's record of one of its tables.
    struct TableRecord {
        static let byteCount = 48
        static let integerKeys = 0x08

        let flags: Int
        let depth: Int
        let branchPages: Int
        let leafPages: Int
        let overflowPages: Int
        let entries: Int
        /// The first page; negative for an empty table.
        let root: Int

        init(_ bytes: PageBytes, at offset: Int) {
            flags = bytes.number(offset + 4, UInt16.self)
            depth = bytes.number(offset + 6, UInt16.self)
            branchPages = bytes.number(offset + 8, UInt64.self)
            leafPages = bytes.number(offset + 16, UInt64.self)
            overflowPages = bytes.number(offset + 24, UInt64.self)
            entries = bytes.number(offset + 32, UInt64.self)
            root = bytes.number(offset + 40, UInt64.self)
        }

        var isEmpty: Bool { root == -1 }
        var hasIntegerKeys: Bool { flags & Self.integerKeys != 0 }
    }

    /// Reads the page at an offset; nil if it is not a meta page.
    init?(_ file: FilePages, at offset: Int, number: Int) {
        guard let bytes = file.bytes(at: offset, count: Self.byteCount),
            bytes.number(0, UInt64.self) == number,
            bytes.number(10, UInt16.self) & 0x08 != 0,
            bytes.number(16, UInt32.self) == 0xBEEF_C0DE, bytes.number(20, UInt32.self) == 1
        else { return nil }
        pageBytes = bytes.number(40, UInt32.self)
        guard pageBytes >= 512, pageBytes <= 65_536, pageBytes & (pageBytes - 1) == 0 else {
            return nil
        }
        free = TableRecord(bytes, at: 40)
        main = TableRecord(bytes, at: 88)
        lastPage = bytes.number(136, UInt64.self)
        transaction = UInt64(bitPattern: Int64(bytes.number(144, UInt64.self)))
        // The engine gives special meanings to the largest numbers, which counting never reaches.
        guard transaction <= Int.max else { return nil }
    }

    /// Returns both pages; nil if one is damaged.
    static func both(of file: FilePages) -> [MetaPage]? {
        guard let first = MetaPage(file, at: 0, number: 0),
            let second = MetaPage(file, at: first.pageBytes, number: 1),
            first.pageBytes == second.pageBytes
        else { return nil }
        return [first, second]
    }

    /// Whether a file begins like one of the engine's.
    static func isEngineFile(_ file: FilePages) -> Bool {
        guard let bytes = file.bytes(at: 0, count: 24) else { return false }
        return bytes.number(16, UInt32.self) == 0xBEEF_C0DE
    }
}
