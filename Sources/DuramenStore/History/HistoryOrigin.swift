import Foundation

/// The program and the process that write, as named in transactions.
public enum HistoryOrigin {
    /// The name of the program.
    public static let bundleID =
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    /// The number of the process. That of a child made by fork is its own.
    public static var processID: String { String(ProcessInfo.processInfo.processIdentifier) }
}
