import CSQLite

/// A version of SQLite, as one number: 3.51.3 is 3 051 003.
package struct EngineVersion: Sendable {
    /// The number.
    package let number: Int32

    /// Creates a version from its number.
    package init(number: Int32) { self.number = number }

    /// The version of the loaded library, which may differ from the one at build time.
    package static var loaded: EngineVersion { EngineVersion(number: sqlite3_libversion_number()) }

    /// Whether a checkpoint of one process can truncate a log that two others write ("WAL-reset").
    ///
    /// From 3.7.0 on; fixed in 3.51.3, and also in 3.50.7 and 3.44.6.
    package var hasLogResetRace: Bool {
        switch number {
        case ..<3_007_000, 3_051_003...: false
        case 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }

    /// The version as text, such as `3.40.1`.
    package var name: String {
        "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
}
