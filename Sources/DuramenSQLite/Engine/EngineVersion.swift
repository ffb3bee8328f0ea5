import CSQLite

/// A version of SQLite, as one number: 3.51.3 is 3 051 003.
package struct EngineVersion: Sendable {
    /// The number.
    package let number: Int32

    /// Wraps a number.
    package init(number: Int32) { self.number = number }

    /// The library that this process runs with, which need not be the one it was built with.
    package static var loaded: EngineVersion { EngineVersion(number: sqlite3_libversion_number()) }

    /// Whether a checkpoint of one process can cut off a log that two others write ("WAL-reset").
    ///
    /// From 3.7.0 on; repaired in 3.51.3, and in 3.50.7 and 3.44.6 for those who stay with these.
    package var hasLogResetRace: Bool {
        switch number {
        case ..<3_007_000, 3_051_003...: false
        case 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }

    /// As people write it, such as `3.40.1`.
    package var name: String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
}
