import ArgumentParser
import DuramenModel
import DuramenStore

/// Prints rows one by one, and keeps as few of them as possible.
protocol RowWriter {
    /// Prints a row, or keeps it for later.
    mutating func write(_ cells: [Cell]) throws(StoreError)

    /// Prints the rest. Without this call, nothing may have been printed.
    mutating func finish() throws(StoreError)
}

/// The content of one column of a row.
enum Cell {
    case value(StoredValue)
    /// A value that is hidden.
    case hidden

    static let hiddenText = "•••"
}

/// A format for printing rows.
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
