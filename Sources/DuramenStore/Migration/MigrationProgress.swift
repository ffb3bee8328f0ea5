import DuramenQuery

/// How far a migration is.
public struct MigrationProgress: Sendable {
    /// A phase of a migration.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The store is copied.
        case backup
        /// Values are looked at that have to fit.
        case checks
        /// Rows are written.
        case rows
        /// Handlers and steps of a custom stage are at work.
        case steps
        /// Indexes are made.
        case indexes
        /// All is done.
        case end

        /// The part of the whole that is behind when the phase begins.
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

        /// The part of the whole that is behind when the phase ends.
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
    /// The part of the work that is done: it never falls, and is 1 at the end.
    public let fraction: Double
    /// The rows that the present work has gone through, such as those of a step. Zero while no
    /// rows are counted.
    public let rowsDone: Int
    /// All rows that the present work goes through. Zero while no rows are counted.
    public let rowsTotal: Int
    /// The number of the change that is made, of ``hops``.
    public let hop: Int
    /// How many changes there are.
    public let hops: Int
    /// A description of the current work, such as the label of a custom stage or the explanation of
    /// a step.
    public let label: String

    let cancellation: CancellationFlag

    /// Ends the migration, unless it is at its end; the store is as it was before.
    ///
    /// The opening throws `.cancelled`.
    public func cancel() { cancellation.cancel() }
}
