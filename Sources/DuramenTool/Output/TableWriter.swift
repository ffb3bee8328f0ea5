import DuramenModel
import DuramenStore

/// Prints rows in columns that fit the terminal; longer values are cut.
///
/// The first rows determine the widths of the columns, so only these rows are kept.
struct TableWriter: RowWriter {
    private static let sampleRows = 200
    private static let gap = "  "
    private static let narrowest = 6

    private let columns: [Column]
    private let output: OutputStream
    private let width: Int
    private var sample: [[String]] = []
    private var widths: [Int]?

    init(_ columns: [Column], to output: OutputStream, width: Int) {
        self.columns = columns
        self.output = output
        self.width = width
    }

    mutating func write(_ cells: [Cell]) throws(StoreError) {
        let texts = cells.map { cell in
            switch cell {
            case .hidden: Cell.hiddenText
            case .value(let value): PlainLine(value.shortText).text
            }
        }
        if widths != nil { return try writeLine(texts) }
        sample.append(texts)
        if sample.count == Self.sampleRows { try writeSample() }
    }

    mutating func finish() throws(StoreError) { try writeSample() }

    private mutating func writeSample() throws(StoreError) {
        if widths != nil { return }
        let titles = columns.map { PlainLine($0.title).text }
        let natural = columns.indices.map { place in
            ([titles] + sample).map { DisplayWidth.of($0[place]) }.max() ?? 0
        }
        widths = Self.fitted(natural, into: width - Self.gap.count * (columns.count - 1))
        try writeLine(titles)
        for texts in sample { try writeLine(texts) }
        sample = []
    }

    /// Narrows the widest columns to a common width, so that all fit if possible.
    static func fitted(_ natural: [Int], into total: Int) -> [Int] {
        var most = natural.max() ?? 0
        while most > narrowest, natural.reduce(0, { $0 + min($1, most) }) > total { most -= 1 }
        return natural.map { min($0, most) }
    }

    private func writeLine(_ texts: [String]) throws(StoreError) {
        let widths = widths ?? []
        var line = ""
        for (place, text) in texts.enumerated() {
            let cut = DisplayWidth.cut(text, to: widths[place])
            let space = String(
                repeating: " ", count: max(0, widths[place] - DisplayWidth.of(cut)))
            if place > 0 { line += Self.gap }
            line += columns[place].isNumber ? space + cut : cut + space
        }
        while line.hasSuffix(" ") { line.removeLast() }
        try output.write(line + "\n")
    }
}
