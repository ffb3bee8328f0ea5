import CSQLite
import DuramenFileStore
import DuramenStore

/// Decides when and how to write the log back into the file. Confined by the writer.
///
/// The engine's own checkpoints are off: before 3.51.3, concurrent checkpoints of two processes
/// could lose commits. These checkpoints run under the lock that all processes share.
final class LogCheckpoints {
    /// The number of pages after which a log is written back.
    static let pages: Int32 = 1_000

    private let connection: Connection
    private let core: StoreCore
    private var nextAt = LogCheckpoints.pages
    /// Nil if commits do not wait for the disk.
    private let growth: LogGrowth?
    // Written by the engine during a commit on this connection, so under the same lock; 0 after it
    // was read.
    private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    init(connection: Connection, core: StoreCore) {
        self.connection = connection
        self.core = core
        growth =
            core.settings.synchronizesCommits ? LogGrowth(connection: connection, core: core) : nil
        logPages.initialize(to: 0)
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                // Sound: registered with these pages.
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    deinit {
        sqlite3_wal_hook(connection.handle, nil, nil)
        logPages.deallocate()
    }

    /// Extends the log if it will soon be too short. Call it at the start of a write transaction.
    func growIfDue() { growth?.growIfDue() }

    /// Writes the log back if it is long enough. Call it between transactions.
    func runIfDue() {
        let pages = logPages.pointee
        // No commit happened since.
        if pages == 0 || connection.isInTransaction { return }
        logPages.pointee = 0
        // The engine has restarted the log.
        if pages < Self.pages { nextAt = Self.pages }
        guard pages >= nextAt else {
            growth?.note(pages)
            return
        }
        // The log keeps growing after a checkpoint: a snapshot of an old state prevents a restart.
        if nextAt > Self.pages { core.held.endOverdue() }
        // The next attempt waits for as many pages again.
        nextAt = pages + Self.pages
        run(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Writes back everything that no reader blocks, without waiting.
    ///
    /// - Returns: The engine's result, and the number of pages left in the log.
    @discardableResult
    func run(_ mode: Int32) -> (result: Int32, pagesLeft: Int32) {
        var pages: Int32 = 0
        var written: Int32 = 0
        let result = connection.withPatience(seconds: 0) {
            sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, &pages, &written)
        }
        return (result, pages - written)
    }
}
