public import DuramenModel
public import DuramenQuery

/// A migration in progress: the change, its observer and its cancellation.
public final class MigrationWork: Sendable {
    /// The changes of rows and pairs.
    public let change: SchemaChange
    /// A flag that ends the work when it is raised, until the change is written.
    public let cancellation: CancellationFlag

    /// The author of a migration in the history.
    public static let historyAuthor = "duramen.migration"

    private let report: MigrationReport
    /// Makes the backup of the store; nil when none is kept.
    private let copy: (@Sendable () throws(StoreError) -> Void)?

    init(
        _ change: SchemaChange, _ report: MigrationReport,
        copy: (@Sendable () throws(StoreError) -> Void)?
    ) {
        self.change = change
        self.report = report
        self.copy = copy
        cancellation = report.cancellation
    }

    /// Starts the change. A store calls this once nobody else can write, and before it changes
    /// anything. If a backup is to be kept, this makes it with the type's `copy(_:to:)`.
    ///
    /// - Throws: `.cancelled`; the errors of the copy.
    public func begin() throws(StoreError) {
        if let copy {
            try note(.backup)
            try copy()
        }
        try note(.checks)
    }

    /// Returns the error for a save to the store after it was copied and read, by a program that
    /// ignores the store's lock. The migration then starts again.
    public func overtaken() -> StoreError { report.overtaken() }

    /// Reports the progress of the work to its observer.
    ///
    /// - Parameters:
    ///   - phase: The current phase.
    ///   - part: The fraction of the phase that is done, from 0 to 1.
    /// - Throws: `.cancelled` when the work must stop. The store then undoes all of it.
    public func note(
        _ phase: MigrationProgress.Phase, _ part: Double = 0
    ) throws(StoreError) {
        try report.note(phase, part)
    }

    /// Reports the number of rows that a phase has processed.
    ///
    /// - Parameters:
    ///   - phase: The current phase.
    ///   - done: The number of processed rows.
    ///   - total: The number of all rows of the phase.
    /// - Throws: `.cancelled` when the work must stop. The store then undoes all of it.
    public func note(
        _ phase: MigrationProgress.Phase, rows done: Int, of total: Int
    ) throws(StoreError) {
        try report.note(phase, rows: done, of: total)
    }
}
