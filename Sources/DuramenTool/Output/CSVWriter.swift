import DuramenModel
import DuramenStore

/// Prints rows as CSV (RFC 4180), with a line of titles. An empty field is null; an empty text is
/// quoted.
struct CSVWriter: RowWriter {
    private let output: OutputStream
    private var titles: [String]?

    init(_ columns: [Column], to output: OutputStream) {
        self.output = output
        titles = columns.map { Self.field($0.title) }
    }

    mutating func write(_ cells: [Cell]) throws(StoreError) {
        try writeTitles()
        try writeLine(
            cells.map { cell in
                switch cell {
                case .hidden: Cell.hiddenText
                case .value(.null): ""
                case .value(let value): Self.field(value.exactText)
                }
            })
    }

    mutating func finish() throws(StoreError) { try writeTitles() }

    private mutating func writeTitles() throws(StoreError) {
        guard let titles else { return }
        self.titles = nil
        try writeLine(titles)
    }

    private func writeLine(_ fields: [String]) throws(StoreError) {
        try output.write(fields.joined(separator: ",") + "\r\n")
    }

    private static func field(_ text: String) -> String {
        // By bytes, because a line feed after a carriage return is not a separate Character.
        let needsQuotes =
            text.isEmpty || text.first == " " || text.last == " "
            || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        if !needsQuotes { return text }
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
