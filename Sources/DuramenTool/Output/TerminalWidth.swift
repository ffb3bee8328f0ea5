import DuramenFileStore
import DuramenStore
import Foundation

/// How wide a line may be.
enum TerminalWidth {
    // What the help text is set to where nobody knows.
    private static let usual = 80

    /// The number that COLUMNS says, else that of the terminal.
    static var columns: Int {
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let number = Int(text),
            number > 0
        {
            return number
        }
        return SystemCalls.terminalColumns(of: 1) ?? usual
    }
}
