import DuramenModel
import DuramenSQL
import DuramenStore

/// An SQL expression with columns of an old table, independent of their names when it runs.
struct MigrationSQL {
    enum Piece {
        case text(String)
        /// A column of the old table, by its old name.
        case column(String)
        case value(SQLParameter)
    }

    private(set) var pieces: [Piece]
    /// The old column, if its values are used unchanged.
    private(set) var plainColumn: String?
    /// The old column that has most of these values.
    private(set) var baseColumn: String?
    /// Whether only null values of `baseColumn` differ.
    var onlyFillsNulls = false
    /// The digits of a decimal without an exact REAL, for rows with this value.
    var digits: String?

    init(_ pieces: [Piece]) { self.pieces = pieces }

    static let null = MigrationSQL([.text("NULL")])

    var isNull: Bool { if case .text("NULL") = pieces.first { pieces.count == 1 } else { false } }

    /// Whether the expression reads an old column.
    func reads(_ name: String) -> Bool {
        pieces.contains { if case .column(name) = $0 { true } else { false } }
    }

    static func column(_ name: String) -> MigrationSQL {
        var sql = MigrationSQL([.column(name)])
        sql.plainColumn = name
        sql.baseColumn = name
        return sql
    }

    static func value(_ parameter: SQLParameter) -> MigrationSQL {
        parameter == .null ? null : MigrationSQL([.value(parameter)])
    }

    /// The expression between two texts.
    func wrapped(_ start: String, _ end: String) -> MigrationSQL {
        var sql = MigrationSQL([.text(start)] + pieces + [.text(end)])
        sql.baseColumn = baseColumn
        return sql
    }

    /// Both expressions with a text between them.
    func joined(_ text: String, _ other: MigrationSQL) -> MigrationSQL {
        var sql = MigrationSQL(pieces + [.text(text)] + other.pieces)
        sql.baseColumn = baseColumn
        return sql
    }

    /// The value as a literal for a column's default. Nil if the expression is not one value, or if
    /// the engine might read the literal differently.
    var literal: String? {
        guard pieces.count == 1, case .value(let value) = pieces[0], digits == nil else {
            return nil
        }
        switch value {
        case .integer(let number): return number == .min ? nil : String(number)
        case .double(let number):
            // The engine reads up to 15 digits exactly.
            let text = "\(number)"
            let isPlain = text.allSatisfy { $0.isNumber || $0 == "." || $0 == "-" }
            return isPlain && text.count(where: \.isNumber) <= 15 && text != "-0.0" ? text : nil
        case .text(let text):
            let words = text.string
            let isShort =
                words.utf8.count <= 1_000 && !words.utf8.contains(0) && StoredText(words) == text
            return isShort ? SQLQuoting.literal(words) : nil
        case .bytes(let bytes):
            if bytes.count > 1_000 { return nil }
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return "x'\(digits.joined())'"
        case .null, .textBytes, .decimal, .list: return nil
        }
    }

    /// The text, with the table's alias before each column: a quoted name without an alias would be
    /// a text if the column did not exist.
    func render(
        _ alias: String, _ parameters: inout [SQLParameter], name: (String) -> String
    ) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let words): text += words
            case .column(let column): text += "\(alias).\(name(column))"
            case .value(let value):
                parameters.append(value)
                text += "?\(parameters.count)"
            }
        }
        return text
    }
}
