import ArgumentParser
import DuramenModel
import DuramenStore

/// Prints rows one after the other, and keeps as few as it can.
protocol RowWriter {
    /// Prints a row, or keeps it until its turn.
    mutating func write(_ cells: [Cell]) throws(StoreError)

    /// Prints the rest. Without it nothing may have been printed.
    mutating func finish() throws(StoreError)
}

/// What one column has of a row.
enum Cell {
    case value(StoredValue)
    /// A value that is not shown.
    case hidden

    static let hiddenText = "•••"
}

/// A way to print rows.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, csv

    func writer(_ columns: [Column], to output: OutputStream) -> any RowWriter {
        switch self {
        case .table: TableWriter(columns, to: output, width: TerminalWidth.columns)
        case .json: JSONWriter(columns, to: output)
        case .csv: CSVWriter(columns, to: output)
        }
    }
}
