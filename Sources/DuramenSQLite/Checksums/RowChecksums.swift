import DuramenSQL
import DuramenStore

/// The checksums of rows in a file that keeps them, and the expressions that check rows.
///
/// A row that another program wrote, such as Core Data, has a higher version than its checksum. It
/// is not checked until Duramen writes it again.
struct RowChecksums: Sendable {
    /// A table of rows.
    struct Rows: Sendable {
        /// The name of the root entity.
        let entity: String
        /// The name of the table, without quotes.
        let name: String
        let quoted: String
        let number: Int
        /// All columns of the file's table, in the file's order.
        let columns: [String]
        /// The entry that the row with key 0 must have, as an expression.
        let definition: String
        /// Whether the checksums are of these columns.
        let isCurrent: Bool

        /// The checksum of a row of `t0`.
        var sum: String {
            var expression = "NULL"
            for start in stride(from: 0, to: columns.count, by: ChecksumFunctions.mostValues) {
                let end = min(start + ChecksumFunctions.mostValues, columns.count)
                let values = columns[start..<end].map { ", t0." + SQLiteDialect().quote($0) }
                    .joined()
                expression = "\(ChecksumFunctions.sum)(\(expression)\(values))"
            }
            return expression
        }

        /// The entry of a row of `t0` in the table of checksums.
        private var check: String {
            "(SELECT ZCHECK FROM \(ChecksumTable.name) WHERE ZENT = \(number) AND ZROW = t0.Z_PK)"
        }

        /// The key of a row of `t0`, which fails for a row that differs from its checksum.
        var checkedKey: String {
            "\(ChecksumFunctions.checkedKey)"
                + "(t0.Z_PK, \(SQLQuoting.literal(entity)), t0.Z_OPT, \(sum), \(check))"
        }

        /// Whether a row of `t0` differs from its checksum.
        var isAltered: String { "\(ChecksumFunctions.isAltered)(t0.Z_OPT, \(sum), \(check))" }

        /// Writes the checksums of rows that a condition is true for.
        func writing(_ condition: String) -> String {
            "INSERT OR REPLACE INTO \(ChecksumTable.name) (ZENT, ZROW, ZCHECK) "
                + "SELECT \(number), t0.Z_PK, \(ChecksumFunctions.check)(t0.Z_OPT, \(sum)) "
                + "FROM \(quoted) AS t0 WHERE \(condition)"
        }
    }

    /// By the index of the table.
    let tables: [Rows]

    /// The expression that selects the key of the rows of a table `t0`.
    func key(table: Int) -> String {
        tables[table].isCurrent ? tables[table].checkedKey : "t0.Z_PK"
    }

    /// Throws if any row differs from its checksum, before all are computed again.
    func checkAll(_ connection: Connection) throws(StoreError) {
        for rows in tables where rows.isCurrent {
            _ = try connection.integer(
                "SELECT count(\(rows.checkedKey)) FROM \(rows.quoted) AS t0")
        }
    }
}
