import CSQLite
import DuramenFileStore
import DuramenStore

/// When the log is written back into the file, and how. Confined by the writer.
///
/// The engine's own checkpoints are off: before 3.51.3 one that meets those of another process can
/// lose commits. These run under the lock that all processes share, so none meets another.
final class LogCheckpoints {
    /// After as many pages a log is written back.
    static let pages: Int32 = 1_000

    private let connection: Connection
    private let core: StoreCore
    private var nextAt = LogCheckpoints.pages
    /// Nil where no commit waits for the disk.
    private let growth: LogGrowth?
    // Written by the engine during a commit on this connection, so under the same lock; 0 once it
    // was looked at.
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

    /// Makes room in the log when it is about to need it. Call it at the beginning of a transaction
    /// that writes.
    func growIfDue() { growth?.growIfDue() }

    /// Writes the log back when it has grown long enough. Call it between transactions.
    func runIfDue() {
        let pages = logPages.pointee
        // Nothing was committed since.
        if pages == 0 || connection.isInTransaction { return }
        logPages.pointee = 0
        // The engine began the log anew.
        if pages < Self.pages { nextAt = Self.pages }
        guard pages >= nextAt else {
            growth?.note(pages)
            return
        }
        // The log was written back before and goes on growing: somebody reads an old state.
        if nextAt > Self.pages { core.held.endOverdue() }
        // The next attempt waits as long again.
        nextAt = pages + Self.pages
        run(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Writes back what no reader keeps from it, without waiting for anybody.
    ///
    /// - Returns: The engine's result, and the pages that are left in the log.
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
