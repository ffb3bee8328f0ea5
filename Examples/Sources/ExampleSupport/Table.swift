/// Rows of text in aligned columns, for results worth reading.
///
///     Section        Packages
///     -------------  --------
///     libs                 92
///     utils                41
public struct Table: Sendable, Hashable, CustomStringConvertible {
    /// The side of the column at which its text stands.
    public enum Alignment: Sendable, Hashable {
        /// Left, for text.
        case leading
        /// Right, for numbers.
        case trailing
    }

    /// The head of a column and its layout.
    public struct Column: Sendable, Hashable {
        /// The text above the column.
        public var title: String
        /// The side at which the text stands.
        public var alignment: Alignment
        /// How many terminal columns the text may take before it is cut, or `nil` for any number.
        public var maximumWidth: Int?

        /// Creates a column.
        public init(_ title: String, _ alignment: Alignment = .leading, maximumWidth: Int? = nil) {
            self.title = title
            self.alignment = alignment
            self.maximumWidth = maximumWidth
        }
    }

    /// The columns, from left to right.
    public let columns: [Column]
    private var rows: [[String]] = []

    /// Creates a table without rows.
    public init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row below the others; missing cells are empty and cells beyond the columns left out.
    public mutating func append(_ cells: [String]) {
        rows.append(columns.indices.map { $0 < cells.count ? cells[$0] : "" })
    }

    /// The heads, a rule and the rows, one line each, the last one without a line feed.
    ///
    /// Control characters in a cell are replaced, so that data cannot steer the terminal.
    public var description: String {
        let lines = ([columns.map(\.title)] + rows).map { cells in
            zip(columns, cells).map { column, cell in
                column.maximumWidth.map { cell.printable.cut(toColumns: $0) } ?? cell.printable
            }
        }
        let widths = columns.indices.map { index in
            lines.map { $0[index].displayColumns }.max() ?? 0
        }
        var text = lines.map { line(of: $0, widths: widths) }
        text.insert(
            line(of: widths.map { String(repeating: "-", count: $0) }, widths: widths), at: 1)
        return text.joined(separator: "\n")
    }

    private func line(of cells: [String], widths: [Int]) -> String {
        let padded = columns.indices.map { index in
            let cell = cells[index]
            let padding = String(repeating: " ", count: widths[index] - cell.displayColumns)
            return columns[index].alignment == .leading ? cell + padding : padding + cell
        }
        let line = padded.joined(separator: "  ")
        // Text never ends in blanks, which would only show when copied.
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
