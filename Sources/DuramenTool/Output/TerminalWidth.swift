import DuramenFileStore
import DuramenStore
import Foundation

/// The width of a line.
enum TerminalWidth {
    // The width of the help text if the terminal's is unknown.
    private static let usual = 80

    /// The number in COLUMNS, or the terminal's width.
    static var columns: Int {
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let number = Int(text),
            number > 0
        {
            return number
        }
        return SystemCalls.terminalColumns(of: 1) ?? usual
    }
}
