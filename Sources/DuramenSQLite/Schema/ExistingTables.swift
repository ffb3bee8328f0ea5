import CSQLite
import DuramenStore

/// The tables and columns of a file that Core Data created, for names that no rule predicts.
struct ExistingTables {
    /// The columns of each table.
    private var columns: [String: [String]] = [:]

    init(_ connection: Connection) throws(StoreError) {
        let statement = try connection.prepare(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                + "WHERE m.type = 'table' AND m.name LIKE 'Z\\_%' ESCAPE '\\' "
                + "AND m.sql NOT LIKE 'CREATE VIRTUAL%'")
        connection.begin(statement)
        defer { connection.end(statement) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { break }
            guard result == SQLITE_ROW else { throw connection.error(result, "read") }
            guard let table = sqlite3_column_text(statement.handle, 0),
                let column = sqlite3_column_text(statement.handle, 1)
            else { continue }
            columns[String(cString: table), default: []].append(String(cString: column))
        }
    }

    /// The table of pairs between two sides, and its columns in the order of the sides.
    ///
    /// The table may be named after either side, and a column whose name is used twice ends in a
    /// digit.
    ///
    /// - Parameters:
    ///   - first: An entity's number, and the relationship whose destination it is.
    ///   - second: The number and relationship of the other side.
    ///   - taken: Tables of other relationships.
    func pairs(
        _ first: (number: Int, name: String), _ second: (number: Int, name: String),
        except taken: [String]
    ) -> (table: String, first: String, second: String)? {
        // The table is named after a side's own number and relationship.
        let names = [
            "Z_\(first.number)" + second.name.uppercased(),
            "Z_\(second.number)" + first.name.uppercased(),
        ]
        for allowsDigits in [false, true] {
            for name in names {
                let tables = columns.keys.filter { table in
                    !taken.contains(table)
                        && (allowsDigits ? Self.is(table, name) : table == name)
                }
                for table in tables.sorted() {
                    let one = column("Z_\(first.number)" + first.name.uppercased(), of: table)
                    let other = column("Z_\(second.number)" + second.name.uppercased(), of: table)
                    if let one, let other, one != other { return (table, one, other) }
                }
            }
        }
        return nil
    }

    /// The table of pairs of a relationship that is its own inverse.
    func reflexivePairs(_ name: String, except taken: [String]) -> String? {
        columns.keys.sorted().first { table in
            !taken.contains(table) && Self.is(table, name)
                && columns[table]?.contains("REFLEXIVE") == true
        }
    }

    /// Returns whether a table has a column.
    func hasColumn(_ name: String, of table: String) -> Bool {
        columns[table]?.contains(name) == true
    }

    private func column(_ name: String, of table: String) -> String? {
        let columns = columns[table] ?? []
        return columns.first { $0 == name } ?? columns.first { Self.is($0, name) }
    }

    /// Whether a name equals another one, possibly followed by digits.
    private static func `is`(_ name: String, _ other: String) -> Bool {
        name.hasPrefix(other) && name.dropFirst(other.count).allSatisfy { ("0"..."9").contains($0) }
    }
}
