import DuramenSQL

/// The statements that create a store in an empty file.
enum SchemaStatements {
    /// The statements of one transaction, except the metadata row.
    static func creation(of schema: AppleSchema) -> [String] {
        var statements = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, "
                + "Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
                + "Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
        statements += schema.tables.map(table)
        statements += schema.namingSides.compactMap { schema.pairs(of: $0) }.map(pairs)
        statements += schema.indexes.filter { $0.toOne == nil }.map(\.creation)
        return statements + ownTables + [ModelTable.creation]
    }

    /// Duramen's own tables, which Core Data does not use.
    static let ownTables = [
        "CREATE TABLE IF NOT EXISTS DURAMEN_SAVE (Z_PK INTEGER PRIMARY KEY, ZIDENTIFIER BLOB)",
        "CREATE TABLE IF NOT EXISTS DURAMEN_DECIMAL (ZENT INTEGER, ZROW INTEGER, ZCOLUMN VARCHAR, "
            + "ZDIGITS VARCHAR, PRIMARY KEY (ZENT, ZROW, ZCOLUMN)) WITHOUT ROWID",
    ]

    /// The columns of an entity table, in the table's order.
    ///
    /// Integers and to-ones are grouped by entity; all later groups contain the whole hierarchy.
    static func ordered(_ columns: [ColumnMap]) -> [ColumnMap] {
        columns.sorted { a, b in
            let left = a.group <= 1 ? (0, a.entityNumber, a.group) : (a.group, 0, 0)
            let right = b.group <= 1 ? (0, b.entityNumber, b.group) : (b.group, 0, 0)
            return left == right ? a.place < b.place : left < right
        }
    }

    static func table(_ table: TableMap) -> String {
        let columns = ordered(table.columns).map { ", \($0.quoted) \($0.type)" }.joined()
        return "CREATE TABLE \(table.quoted) "
            + "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns))"
    }

    /// The quoted columns of a table of pairs.
    static func columns(of pairs: SQLPairTable) -> [String] {
        [pairs.ownerColumn, pairs.destinationColumn, pairs.orderColumn, pairs.inverseOrderColumn]
            .compactMap { $0 }
    }

    static func pairs(_ pairs: SQLPairTable) -> String {
        let columns = columns(of: pairs).map { "\($0) INTEGER, " }.joined()
        return "CREATE TABLE \(pairs.table) "
            + "(\(columns)PRIMARY KEY (\(pairs.ownerColumn), \(pairs.destinationColumn)))"
    }
}
