/// A column of a complete table: cells of one width, the title first.
struct TextColumn {
    private let cells: [String]

    init(_ title: String, _ values: [String], isNumber: Bool = true) {
        let width = ([title] + values).map(\.count).max() ?? 0
        cells = ([title] + values).map { cell in
            let space = String(repeating: " ", count: width - cell.count)
            return isNumber ? space + cell : cell + space
        }
    }

    /// Returns the lines of a table, indented.
    static func lines(_ columns: [TextColumn]) -> [String] {
        guard let first = columns.first else { return [] }
        return first.cells.indices.map { row in
            "  " + columns.map { $0.cells[row] }.joined(separator: "  ")
        }
    }
}
