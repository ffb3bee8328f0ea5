import DuramenModel
import DuramenStore

/// Prints rows as an array of objects, one per line.
struct JSONWriter: RowWriter {
    private let output: OutputStream
    private let names: [String]
    private var isEmpty = true

    init(_ columns: [Column], to output: OutputStream) {
        self.output = output
        names = columns.map { JSONText.quoted($0.title) }
    }

    mutating func write(_ cells: [Cell]) throws(StoreError) {
        let entries = zip(names, cells).map { "\($0): \(Self.text($1))" }
        try output.write((isEmpty ? "[\n  {" : ",\n  {") + entries.joined(separator: ", ") + "}")
        isEmpty = false
    }

    mutating func finish() throws(StoreError) { try output.write(isEmpty ? "[]\n" : "\n]\n") }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .hidden: JSONText.quoted(Cell.hiddenText)
        case .value(let value): JSONText.text(value)
        }
    }
}
