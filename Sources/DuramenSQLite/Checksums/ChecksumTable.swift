import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore

/// The table `DURAMEN_CHECKSUM`: a checksum for each row, by the number of the root entity and the
/// key. Core Data ignores the table.
///
/// The row with key 0 has the checksum of the table's columns and of the numbers of all entities,
/// since another program may change both. Without any such row the file keeps no checksums.
struct ChecksumTable {
    static let name = "DURAMEN_CHECKSUM"
    private static let creation =
        "CREATE TABLE IF NOT EXISTS \(name) (ZENT INTEGER, ZROW INTEGER, ZCHECK BLOB, "
        + "PRIMARY KEY (ZENT, ZROW)) WITHOUT ROWID"

    let connection: Connection

    /// Whether the file keeps checksums.
    private func isOn() throws(StoreError) -> Bool {
        let isThere = try connection.looked(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(Self.name)'")
        if isThere == 0 { return false }
        return try connection.looked(
            "SELECT EXISTS (SELECT 1 FROM \(Self.name) WHERE ZROW = 0)") != 0
    }

    /// The checksums of the tables of a schema; nil for a file without.
    func checksums(of schema: AppleSchema) throws(StoreError) -> RowChecksums? {
        try isOn() ? RowChecksums(tables: rows(schema)) : nil
    }

    private func rows(_ schema: AppleSchema) throws(StoreError) -> [RowChecksums.Rows] {
        var tables: [RowChecksums.Rows] = []
        let numbers = try connection.texts(
            "SELECT Z_ENT || ' ' || Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        for table in schema.tables {
            let columns = try connection.texts(
                "SELECT name FROM pragma_table_info(\(SQLQuoting.literal(table.name)))")
            let definition = Self.check(of: columns + numbers)
            let known = try connection.integer(
                "SELECT ZCHECK = \(definition) FROM \(Self.name) "
                    + "WHERE ZENT = \(table.rootNumber) AND ZROW = 0")
            tables.append(
                RowChecksums.Rows(
                    entity: schema.model[table.root].name, name: table.name, quoted: table.quoted,
                    number: table.rootNumber, columns: columns,
                    definition: definition, isCurrent: known == 1))
        }
        return tables
    }

    // MARK: - Changes

    /// Whether an opening must change the checksums of a file.
    ///
    /// - Parameters:
    ///   - checksums: The checksums of the file; nil for none.
    ///   - wanted: Whether there are to be checksums; nil for as it is.
    static func mustChange(_ checksums: RowChecksums?, _ wanted: Bool?) -> Bool {
        guard let checksums else { return wanted == true }
        return wanted == false || checksums.tables.contains { !$0.isCurrent }
    }

    /// Removes all checksums, or computes those of tables that have none. Within a transaction.
    func change(_ wanted: Bool?, _ schema: AppleSchema) throws(StoreError) {
        if wanted == false { return try clear() }
        // Another process may have removed them since.
        let isStillOn = try isOn()
        if wanted == true || isStillOn { try complete(schema) }
    }

    /// Computes the checksums of all rows whose table has none, or has other columns now.
    private func complete(_ schema: AppleSchema) throws(StoreError) {
        try connection.execute(Self.creation)
        for rows in try rows(schema) where !rows.isCurrent {
            try connection.execute("DELETE FROM \(Self.name) WHERE ZENT = \(rows.number)")
            try connection.execute(rows.writing("true"))
            try connection.execute(
                "INSERT INTO \(Self.name) (ZENT, ZROW, ZCHECK) VALUES "
                    + "(\(rows.number), 0, \(rows.definition))")
        }
    }

    /// Computes the checksums of all rows. Within a transaction.
    func rewrite(_ schema: AppleSchema) throws(StoreError) {
        try clear()
        try complete(schema)
    }

    /// Removes all checksums; the table stays, since other processes may use it.
    private func clear() throws(StoreError) {
        try connection.execute(Self.creation)
        try connection.execute("DELETE FROM \(Self.name)")
    }

    /// The checksum of a table's definition, as an expression.
    private static func check(of lines: [String]) -> String {
        var text = lines.joined(separator: "\n")
        let sum = text.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0)) }
        return "\(ChecksumFunctions.check)(0, \(sum))"
    }
}
