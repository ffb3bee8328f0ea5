import DuramenModel
import DuramenStore

/// The tables of a history in Core Data's layout, and Duramen's table of consumers.
///
/// A file has them once a history was started. Transactions have the numbers of Duramen's saves, so
/// that a token also identifies a state.
struct HistoryTables {
    static let change = 16_001
    static let transaction = 16_002
    static let string = 16_003

    /// The columns for tombstones.
    let tombstones: [String]
    /// Whether names are in a separate table, as since macOS 10.14.
    let hasStrings: Bool

    /// Finds the tables; nil when no history was started.
    init?(_ connection: Connection) throws(StoreError) {
        guard try Self.exist(connection) else { return nil }
        let columns = try connection.texts("SELECT name FROM pragma_table_info('ACHANGE')")
        tombstones = columns.filter { $0.hasPrefix("ZTOMBSTONE") && Int($0.dropFirst(10)) != nil }
        hasStrings =
            try connection.integer(
                "SELECT COUNT(*) FROM pragma_table_info('ATRANSACTION') WHERE name = 'ZAUTHORTS'")
            == 1
    }

    /// Whether a history was started.
    static func exist(_ connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' "
                + "AND name IN ('ATRANSACTION', 'ACHANGE')") == 2
    }

    /// The statements that start a history.
    static func creation(tombstones: Int) -> [String] {
        let values = (0..<tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
        let entities = [
            (change, "CHANGE"), (transaction, "TRANSACTION"), (string, "TRANSACTIONSTRING"),
        ]
        return [
            "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, "
                + "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
                + "ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
            "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZNAME VARCHAR)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME "
                + "ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
                + "ZCOLUMNS BLOB\(values))",
            consumers,
        ]
            + entities.map {
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\($0.0), '\($0.1)', 0, 0)"
            }
    }

    /// Creates the table of consumers, which Core Data's files do not have.
    static let consumers =
        "CREATE TABLE IF NOT EXISTS DURAMEN_CONSUMER (ZNAME VARCHAR PRIMARY KEY, ZTRANSACTION INTEGER, "
        + "ZLEASE FLOAT, ZRENEWED FLOAT) WITHOUT ROWID"

    /// Raises the numbers of saves above those of Core Data's transactions, which are not saves of
    /// Duramen.
    ///
    /// - Throws: `.damagedFile` for numbers that saving could never reach.
    static func raiseSaves(_ connection: Connection, core: StoreCore) throws(StoreError) {
        let last = try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
        if last <= (try connection.integer("SELECT MAX(Z_PK) FROM DURAMEN_SAVE") ?? 0) { return }
        if last > Int64.max / 2 {
            throw StoreError(
                .damagedFile,
                "The history of '\(core.path)' has a transaction of number \(last), and no number comes after it. "
                    + "Restore a copy.")
        }
        try connection.execute("INSERT INTO DURAMEN_SAVE (Z_PK) VALUES (\(last))")
    }

    /// The key of the first change after a transaction. Changes are numbered in the order of their
    /// transactions, so a binary search finds it, without an index that each save would have to
    /// update.
    ///
    /// - Throws: `.damagedFile` if the engine returns a change before the requested key.
    static func firstChange(
        behind transaction: Int64, _ connection: Connection
    ) throws(StoreError) -> Int64 {
        guard var low = try connection.integer("SELECT MIN(Z_PK) FROM ACHANGE"),
            let last = try connection.integer("SELECT MAX(Z_PK) FROM ACHANGE")
        else { return 1 }
        let probe = try connection.prepare(
            "SELECT ZTRANSACTIONID, Z_PK FROM ACHANGE WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1")
        // Files may contain any keys.
        var high = last == .max ? last : last + 1
        // Changes before `low` belong to earlier transactions, those from `high` on to later ones.
        while low < high {
            let middle = low &+ Int64(UInt64(bitPattern: high &- low) / 2)
            probe.bind(middle, at: 1)
            var found: (transaction: Int64, key: Int64) = (.max, middle)
            try connection.forEachRow(of: probe) { found = ($0.integer(0), $0.integer(1)) }
            // Otherwise the search would not end.
            if found.key < middle {
                throw StoreError(
                    .damagedFile,
                    "The history of '\(connection.path)' is damaged: its changes are not in order; restore a copy."
                )
            }
            if found.transaction <= transaction {
                low = found.key == .max ? .max : found.key + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

/// The properties of a change as a set of bits, starting with the highest bit of the first byte.
enum ChangedColumns {
    static func bytes(_ places: [Int], of count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for place in places where place < count { bytes[place / 8] |= 0x80 >> UInt8(place % 8) }
        return bytes
    }

    static func places(_ bytes: [UInt8]) -> SlotSet {
        var places = SlotSet()
        for index in bytes.indices {
            for bit in 0..<8 where bytes[index] & 0x80 >> UInt8(bit) != 0 {
                places.insert(index * 8 + bit)
            }
        }
        return places
    }
}
