public import DuramenModel
public import DuramenQuery

/// A migration under way: the change, its observer and its cancellation.
public final class MigrationWork: Sendable {
    /// The changes to rows and pairs.
    public let change: SchemaChange
    /// Ends the work when it is raised, until the change is written.
    public let cancellation: CancellationFlag

    /// The author of a migration in the history.
    public static let historyAuthor = "duramen.migration"

    private let report: MigrationReport
    /// Copies the store as it is; nil when no copy is kept.
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

    /// Begins the change. A store calls this once nobody else can write, and before it changes
    /// anything. If a copy is to be kept, it is made now by the type's `copy(_:to:)`.
    ///
    /// - Throws: `.cancelled`; what the copy throws.
    public func begin() throws(StoreError) {
        if let copy {
            try note(.backup)
            try copy()
        }
        try note(.checks)
    }

    /// Returns the error for a store that somebody saved to after it was copied and read. A program
    /// that ignores the store's lock can do that. The migration then starts over.
    public func overtaken() -> StoreError { report.overtaken() }

    /// Tells whoever watches how far the work is.
    ///
    /// - Parameter part: How much of the phase is done, from 0 to 1.
    /// - Throws: `.cancelled` when the work shall stop. A store then leaves everything as it was.
    public func note(
        _ phase: MigrationProgress.Phase, _ part: Double = 0
    ) throws(StoreError) {
        try report.note(phase, part)
    }

    /// Reports how many rows a phase has gone through.
    ///
    /// - Parameter total: All rows that the phase goes through.
    /// - Throws: `.cancelled` when the work shall stop. A store then leaves everything as it was.
    public func note(
        _ phase: MigrationProgress.Phase, rows done: Int, of total: Int
    ) throws(StoreError) {
        try report.note(phase, rows: done, of: total)
    }
}
