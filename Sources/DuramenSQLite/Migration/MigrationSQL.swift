import DuramenModel
import DuramenSQL
import DuramenStore

/// A piece of a statement that names columns of an old table, whatever they are called when it
/// runs.
struct MigrationSQL {
    enum Piece {
        case text(String)
        /// A column of the old table, by the name that it had.
        case column(String)
        case value(SQLParameter)
    }

    private(set) var pieces: [Piece]
    /// The old column, when its values are taken as they are.
    private(set) var plainColumn: String?
    /// The old column whose values these are, but for some.
    private(set) var baseColumn: String?
    /// Whether these are the values of `baseColumn`, but for rows that have none.
    var onlyFillsNulls = false
    /// The digits that go with a decimal which no REAL says, for rows that have the value.
    var digits: String?

    init(_ pieces: [Piece]) { self.pieces = pieces }

    static let null = MigrationSQL([.text("NULL")])

    var isNull: Bool { if case .text("NULL") = pieces.first { pieces.count == 1 } else { false } }

    /// Whether a value depends on an old column.
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

    /// The same between two texts.
    func wrapped(_ start: String, _ end: String) -> MigrationSQL {
        var sql = MigrationSQL([.text(start)] + pieces + [.text(end)])
        sql.baseColumn = baseColumn
        return sql
    }

    /// Both with a text between them.
    func joined(_ text: String, _ other: MigrationSQL) -> MigrationSQL {
        var sql = MigrationSQL(pieces + [.text(text)] + other.pieces)
        sql.baseColumn = baseColumn
        return sql
    }

    /// The value as a literal for a column's default. Nil when the expression is not one value, or
    /// when the engine might read the literal as another value.
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
            return isShort ? "'" + words.replacing("'", with: "''") + "'" : nil
        case .bytes(let bytes):
            if bytes.count > 1_000 { return nil }
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return "x'\(digits.joined())'"
        case .null, .textBytes: return nil
        }
    }

    /// The text, with the alias of the table before each column: a quoted name alone that is no
    /// column would be a text.
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
