import CSQLite
import DuramenFileStore
import DuramenStore

/// Extends the log in advance of commits. Confined by the writer.
///
/// A commit that waits for the disk and extends a file also waits for the file system's journal.
/// Overwriting takes half the time. So a young log grows in large steps; after a checkpoint, the
/// engine restarts in the same file.
///
/// The extension is zeros, which the engine and other programs do not treat as frames, like the
/// remains from before a restart. Only after the header of a refused commit could they become a
/// frame, so such a header is cut off (``Connection/cutRefusedCommit()``).
final class LogGrowth {
    /// The smallest and largest number of pages of a step.
    private static let step: ClosedRange<Int32> = 16...1_000
    /// The disk space in bytes that is left for saves.
    private static let spareBytes = 64 << 20

    private let connection: Connection
    private let core: StoreCore
    private let pageBytes: Int64
    /// The number of pages for which the log is known to be long enough.
    private var room: Int32 = 0
    /// The number of pages for which to extend the log; nil if it is long enough.
    private var target: Int32?
    /// The number of pages in the log after the last commit.
    private var pages: Int32 = 0

    init(connection: Connection, core: StoreCore) {
        self.connection = connection
        self.core = core
        pageBytes = connection.peek("PRAGMA page_size") ?? 4_096
    }

    /// Decides whether the log must grow for the next commits.
    ///
    /// - Parameter pages: The number of pages in the log after a commit.
    func note(_ pages: Int32) {
        let isNew = pages <= self.pages
        let last = min(isNew ? pages : pages - self.pages, Self.step.upperBound)
        self.pages = pages
        // The engine has restarted the log, which another process may have truncated before.
        if isNew { room = 0 }
        if pages + last <= room { return }
        let growth = min(max(pages * 3, Self.step.lowerBound), Self.step.upperBound)
        target = max(pages + growth, pages + last)
    }

    /// Extends the log if it will soon be too short. Call it at the start of a write transaction.
    ///
    /// In a transaction nobody else writes into the log. Otherwise another commit could be
    /// overwritten between reading the log's length and writing.
    func growIfDue() {
        guard let target else { return }
        // In any case, the next attempt comes after as much growth again.
        self.target = nil
        room = target
        // Until a commit has put a new header on the disk, a loss of power may restore the old
        // frames. Zeros would leave only a part of them.
        guard let frames = connection.committedFrames, frames > 0 else { return }
        guard let free = DiskSpace.freeBytes(at: core.path), free > Self.spareBytes,
            let log = connection.log, let bytes = log.byteCount
        else { return }
        let wanted = LogFile.byteCount(frames: Int64(target), pageBytes: pageBytes)
        if bytes >= wanted {
            room = Int32(clamping: LogFile.frameCount(bytes: bytes, pageBytes: pageBytes))
        } else if !log.writeZeros(from: bytes, to: wanted) {
            log.cut(to: bytes)
        }
    }
}
