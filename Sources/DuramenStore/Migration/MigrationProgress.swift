import DuramenQuery

/// The progress of a migration.
public struct MigrationProgress: Sendable {
    /// A phase of a migration.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The store is being copied.
        case backup
        /// Values are being checked.
        case checks
        /// Rows are being written.
        case rows
        /// Handlers and steps of a custom stage are running.
        case steps
        /// Indexes are being built.
        case indexes
        /// The migration is complete.
        case end

        /// The fraction of the work that is done when the phase starts.
        var start: Double {
            switch self {
            case .backup: 0
            case .checks: 0.2
            case .rows: 0.3
            case .steps: 0
            case .indexes: 0.8
            case .end: 1
            }
        }

        /// The fraction of the work that is done when the phase ends.
        var limit: Double {
            switch self {
            case .backup: Phase.checks.start
            case .checks: Phase.rows.start
            case .rows: Phase.indexes.start
            case .steps, .indexes, .end: Phase.end.start
            }
        }
    }

    /// Where the store is.
    public let location: String
    /// The current phase.
    public let phase: Phase
    /// The fraction of the work that is done: it never falls, and is 1 at the end.
    public let fraction: Double
    /// The number of rows processed in the current work, such as a step. Zero if it does not count
    /// rows.
    public let rowsDone: Int
    /// The number of all rows of the current work. Zero if it does not count rows.
    public let rowsTotal: Int
    /// The number of the current change, from 1 to ``hops``.
    public let hop: Int
    /// The number of changes.
    public let hops: Int
    /// A description of the current work, such as the label of a custom stage or the explanation of
    /// a step.
    public let label: String

    let cancellation: CancellationFlag

    /// Cancels the migration, unless it is at its end; the store is not changed.
    ///
    /// Opening the store then throws `.cancelled`.
    public func cancel() { cancellation.cancel() }
}
