import DuramenModel
import DuramenSQL
import DuramenStore

/// A statement with its parameters.
struct BoundStatement {
    var sql: String
    var parameters: [SQLParameter] = []
}

extension TableMigration {
    private var quote: (String) -> String { { SQLiteDialect().quote($0) } }

    /// Renames the columns of a table that already has its new name, adds new columns, and drops
    /// old ones.
    var changeStatements: [BoundStatement] {
        if isUnchanged { return [] }
        let table = newTable.quoted
        var statements = copiedDigits(from: table)
        func alter(_ change: String) {
            statements.append(BoundStatement(sql: "ALTER TABLE \(table) \(change)"))
        }
        // Names may be exchanged, so each column gets a temporary name first.
        var present: [String: String] = [:]
        var renamed: [(passing: String, final: String)] = []
        for (place, column) in columns.enumerated() {
            guard let carried = column.carried, carried != column.map.name else { continue }
            let passing = "DURAMEN_\(place)"
            alter("RENAME COLUMN \(quote(carried)) TO \(quote(passing))")
            renamed.append((passing, column.map.name))
            present[carried] = column.map.name
        }
        for (place, column) in dropped.enumerated() {
            let passing = "DURAMEN_OLD_\(place)"
            alter("RENAME COLUMN \(quote(column.name)) TO \(quote(passing))")
            present[column.name] = passing
        }
        for (passing, final) in renamed {
            alter("RENAME COLUMN \(quote(passing)) TO \(quote(final))")
        }
        for column in columns where column.carried == nil {
            let fallback = column.fallback.map { " DEFAULT \($0)" } ?? ""
            alter("ADD COLUMN \(column.map.quoted) \(column.map.type)\(fallback)")
        }
        if let update = update({ self.quote(present[$0] ?? $0) }) { statements.append(update) }
        for column in dropped { alter("DROP COLUMN \(quote(present[column.name] ?? ""))") }
        return statements + carriedDigits
    }

    /// Copies rows to a new table, and deletes them from the old one.
    func moveStatements(from source: String) -> [BoundStatement] {
        if numbers.isEmpty { return [] }
        var parameters: [SQLParameter] = []
        let values = columns.map { column in
            column.values.isEmpty
                ? "NULL" : cases(column.values, "NULL", &parameters) { self.quote($0) }
        }
        let condition = "t.Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
        let names = columns.map { ", " + $0.map.quoted }.joined()
        let insertion = BoundStatement(
            sql: "INSERT INTO \(newTable.quoted) (Z_PK, Z_ENT, Z_OPT\(names)) "
                + "SELECT t.Z_PK, t.Z_ENT, t.Z_OPT\(values.map { ", " + $0 }.joined()) "
                + "FROM \(source) AS t WHERE \(condition)", parameters: parameters)
        return copiedDigits(from: source) + [
            insertion, BoundStatement(sql: "DELETE FROM \(source) AS t WHERE \(condition)"),
        ]
    }

    // MARK: - Values

    /// One pass over the rows for all columns.
    private func update(_ name: (String) -> String) -> BoundStatement? {
        var parameters: [SQLParameter] = []
        var assignments: [String] = []
        var touched: Set<Int> = []
        for column in columns where !column.values.isEmpty {
            let otherwise = "t.\(column.map.quoted)"
            assignments.append(
                "\(column.map.quoted) = \(cases(column.values, otherwise, &parameters, name))")
            touched.formUnion(column.values.map(\.number))
        }
        if assignments.isEmpty { return nil }
        var conditions: [String] = []
        if newTable.entities.count > 1 {
            let list = touched.sorted().map(String.init).joined(separator: ", ")
            conditions.append("t.Z_ENT IN (\(list))")
        }
        if let gaps { conditions.append("(\(gaps.joined(separator: " OR ")))") }
        let rows = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return BoundStatement(
            sql: "UPDATE \(newTable.quoted) AS t SET \(assignments.joined(separator: ", "))\(rows)",
            parameters: parameters)
    }

    /// Conditions for the rows to write, if only rows without some value are written; nil for all
    /// rows.
    private var gaps: [String]? {
        let written = columns.filter { !$0.values.isEmpty }
        let fillsOnly = written.allSatisfy { column in
            column.carried != nil
                && column.values.allSatisfy {
                    $0.sql.onlyFillsNulls && $0.sql.baseColumn == column.carried
                }
        }
        return fillsOnly ? written.map { "t.\($0.map.quoted) IS NULL" } : nil
    }

    private func cases(
        _ values: [(number: Int, sql: MigrationSQL)], _ otherwise: String,
        _ parameters: inout [SQLParameter], _ name: (String) -> String
    ) -> String {
        if newTable.entities.count == 1, let only = values.first {
            return only.sql.render("t", &parameters, name: name)
        }
        var text = "CASE t.Z_ENT"
        for (number, sql) in values {
            text += " WHEN \(number) THEN \(sql.render("t", &parameters, name: name))"
        }
        return text + " ELSE \(otherwise) END"
    }

    // MARK: - Digits of decimals

    /// Copies the digits of values that move to another column, and adds those of filled-in values.
    ///
    /// New digits have the negative number of the root until the migration is complete.
    private func copiedDigits(from table: String) -> [BoundStatement] {
        var statements: [BoundStatement] = []
        for column in columns where column.map.type == "DECIMAL" {
            for (number, sql) in column.values {
                let rows = "SELECT Z_PK FROM \(table) WHERE Z_ENT = \(number)"
                if let old = sql.baseColumn, old != column.carried, oldTable.hasDecimals {
                    statements.append(
                        BoundStatement(
                            sql: "INSERT OR REPLACE INTO DURAMEN_DECIMAL "
                                + "SELECT \(-newTable.rootNumber), ZROW, ?1, ZDIGITS FROM DURAMEN_DECIMAL "
                                + "WHERE ZENT = \(oldTable.rootNumber) AND ZCOLUMN = ?2 AND ZROW IN (\(rows))",
                            parameters: [text(column.map.name), text(old)]))
                }
                guard let digits = sql.digits else { continue }
                let isEmpty = column.oldColumn(sql).map { " AND \(quote($0)) IS NULL" } ?? ""
                statements.append(
                    BoundStatement(
                        sql: "INSERT OR REPLACE INTO DURAMEN_DECIMAL "
                            + "SELECT \(-newTable.rootNumber), Z_PK, ?1, ?2 FROM \(table) "
                            + "WHERE Z_ENT = \(number)\(isEmpty)",
                        parameters: [text(column.map.name), text(digits)]))
            }
        }
        return statements
    }

    /// Changes the digits of columns that are renamed, moved to another root, or dropped.
    private var carriedDigits: [BoundStatement] {
        let old = oldTable.rootNumber
        var statements: [BoundStatement] = []
        for column in columns where column.map.type == "DECIMAL" {
            guard let carried = column.carried,
                carried != column.map.name || old != newTable.rootNumber
            else { continue }
            statements.append(
                BoundStatement(
                    sql:
                        "UPDATE OR REPLACE DURAMEN_DECIMAL SET ZENT = \(-newTable.rootNumber), ZCOLUMN = ?1 "
                        + "WHERE ZENT = \(old) AND ZCOLUMN = ?2",
                    parameters: [text(column.map.name), text(carried)]))
        }
        let retyped = columns.filter { $0.oldType == "DECIMAL" }.compactMap(\.carried)
        for name in dropped.filter({ $0.type == "DECIMAL" }).map(\.name) + retyped {
            statements.append(
                BoundStatement(
                    sql: "DELETE FROM DURAMEN_DECIMAL WHERE ZENT = \(old) AND ZCOLUMN = ?1",
                    parameters: [text(name)]))
        }
        return statements
    }

    private func text(_ text: String) -> SQLParameter { .text(StoredText(text)) }
}

extension TableMigration.Column {
    /// The first old column that an expression reads.
    fileprivate func oldColumn(_ sql: MigrationSQL) -> String? {
        for case .column(let name) in sql.pieces { return name }
        return nil
    }
}
