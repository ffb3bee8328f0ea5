import DuramenModel
import DuramenStore

/// Prints rows as an array of objects, one a line.
struct JSONWriter: RowWriter {
    private let output: OutputStream
    private let names: [String]
    private var isEmpty = true

    init(_ columns: [Column], to output: OutputStream) {
        self.output = output
        names = columns.map { Self.text($0.title) }
    }

    mutating func write(_ cells: [Cell]) throws(StoreError) {
        let entries = zip(names, cells).map { "\($0): \(Self.text($1))" }
        try output.write((isEmpty ? "[\n  {" : ",\n  {") + entries.joined(separator: ", ") + "}")
        isEmpty = false
    }

    mutating func finish() throws(StoreError) { try output.write(isEmpty ? "[]\n" : "\n]\n") }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .hidden: text(Cell.hiddenText)
        case .value(.null): "null"
        case .value(.integer(let number)): String(number)
        case .value(.double(let number)) where number.isFinite: String(number)
        case .value(.boolean(let flag)): String(flag)
        case .value(let value): text(value.exactText)
        }
    }

    /// The text in quotes. Controls are escaped, those that JSON would let through too, so that none reaches
    /// a terminal.
    private static func text(_ text: String) -> String {
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted.append("\\")
                quoted.append(scalar)
            case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
            case "\r": quoted.append(contentsOf: "\\r".unicodeScalars)
            case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                quoted.append(contentsOf: ("\\u" + zeros + digits).unicodeScalars)
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }
}
