import Foundation

/// The origin of changes: the program and process, as transactions name them.
public enum HistoryOrigin {
    /// The name of the program.
    public static let bundleID =
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    /// The number of the process. A child made by fork has its own.
    public static var processID: String { String(ProcessInfo.processInfo.processIdentifier) }
}
