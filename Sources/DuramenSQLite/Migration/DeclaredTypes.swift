import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// Changes the declared types of columns in place, without a pass over their rows.
///
/// `ALTER TABLE` cannot do this, and replacing a column takes a pass to drop the old one. Instead
/// this changes the text of the table in the file's schema, as the engine's documentation of `ALTER
/// TABLE` describes. The caller then rewrites the values of the columns, because the engine stores
/// a value in the form of its column's type.
struct DeclaredTypes {
    let connection: Connection

    /// - Parameters:
    ///   - types: The old and the new type of each column, by its name.
    ///   - table: The name of the table, without quotes.
    func change(
        _ types: [String: (old: String, new: String)], of table: String
    ) throws(StoreError) {
        let reading = try connection.prepare(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?")
        reading.bind(.text(StoredText(table)), at: 1)
        var text = ""
        try connection.forEachRow(of: reading) {
            text = String(decoding: $0.bytes(0), as: UTF8.self)
        }
        guard let changed = Self.changing(types, in: text) else {
            throw StoreError(
                .damagedFile,
                "The columns of the table '\(table)' in '\(connection.path)' do not have the types of "
                    + "its model. Run duramen verify, or restore a copy.")
        }
        let version = try connection.integer("PRAGMA schema_version") ?? 0
        // No other statement writes in this transaction meanwhile.
        protect(false)
        defer { protect(true) }
        // Comes first, so that after a rollback the engine reads the schema again.
        try connection.execute("PRAGMA schema_version=\((version + 1) & 0x7FFF_FFFF)")
        try connection.execute("PRAGMA writable_schema=ON")
        // Reads the schema again.
        defer { try? connection.execute("PRAGMA writable_schema=RESET") }
        let writing = try connection.prepare(
            "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?")
        writing.bind(.text(StoredText(changed)), at: 1)
        writing.bind(.text(StoredText(table)), at: 2)
        try connection.run(writing, "migrate")
    }

    private func protect(_ protects: Bool) {
        _ = duramen_sqlite3_db_config_flag(
            connection.handle, SQLITE_DBCONFIG_DEFENSIVE, protects ? 1 : 0)
    }

    /// The text of a table with other types; nil when a column is missing or has another type.
    static func changing(
        _ types: [String: (old: String, new: String)], in text: String
    ) -> String? {
        var scanner = ColumnScanner(text)
        var result = ""
        var left = text.startIndex
        var missing = types
        while let column = scanner.next() {
            guard let change = missing.removeValue(forKey: column.name) else { continue }
            if text[column.type] != change.old { return nil }
            result += text[left..<column.type.lowerBound] + change.new
            left = column.type.upperBound
        }
        return missing.isEmpty ? result + text[left...] : nil
    }
}

/// Finds the names and types of the columns in the text of a table.
///
/// Reads scalars, because a quote and an accent behind it are one character.
private struct ColumnScanner {
    private let text: String.UnicodeScalarView
    private var place: String.Index

    init(_ text: String) {
        self.text = text.unicodeScalars
        place = text.startIndex
        skip(to: "(")
    }

    /// The next column; nil after the last one.
    mutating func next() -> (name: String, type: Range<String.Index>)? {
        guard place < text.endIndex, text[place] != ")" else { return nil }
        place = text.index(after: place)
        let name = word()
        let type = word()
        skip(to: ",")
        return (unquoted(text[name]), type)
    }

    private func unquoted(_ name: Substring.UnicodeScalarView) -> String {
        guard name.first == "\"" else { return String(name) }
        var result = String.UnicodeScalarView()
        var isFirstOfTwo = false
        for scalar in name.dropFirst().dropLast() {
            isFirstOfTwo = scalar == "\"" && !isFirstOfTwo
            if !isFirstOfTwo { result.append(scalar) }
        }
        return String(result)
    }

    /// The next word or quoted name, after spaces.
    private mutating func word() -> Range<String.Index> {
        while place < text.endIndex, text[place].properties.isWhitespace { advance() }
        let start = place
        while place < text.endIndex, !text[place].properties.isWhitespace,
            !",()".unicodeScalars.contains(text[place])
        {
            advance()
        }
        return start..<place
    }

    /// Skips to a character outside quotes and inner parentheses, or to a closing parenthesis.
    private mutating func skip(to end: Unicode.Scalar) {
        var depth = 0
        while place < text.endIndex {
            let scalar = text[place]
            if depth == 0, scalar == end || scalar == ")" { return }
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            advance()
        }
    }

    /// Skips a character or a quoted text.
    private mutating func advance() {
        let first = text[place]
        place = text.index(after: place)
        guard first == "\"" || first == "'" else { return }
        while place < text.endIndex {
            let scalar = text[place]
            place = text.index(after: place)
            if scalar == first { return }
        }
    }
}
