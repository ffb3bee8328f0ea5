import CSQLite
import DuramenFileStore
import DuramenStore

/// Makes the log longer than it needs to be, ahead of the commits. Confined by the writer.
///
/// A commit that waits for the disk and makes a file longer also waits for the file system's own
/// log. What is written over is on the disk after half the time. So a young log grows in large
/// steps; once it was written back, the engine begins anew in the same file.
///
/// What is added is zeros: no frame, to the engine and to every other program, as is what a log has
/// left over from before it began anew. Only behind the header of a commit that was refused they
/// could become one, so such a header is cut off (``Connection/cutRefusedCommit()``).
final class LogGrowth {
    /// The least and the most pages of a step.
    private static let step: ClosedRange<Int32> = 16...1_000
    /// A disk with less room than this keeps it for what is saved.
    private static let spareBytes = 64 << 20

    private let connection: Connection
    private let core: StoreCore
    private let pageBytes: Int64
    /// For how many pages there is room, as far as it is known.
    private var room: Int32 = 0
    /// For how many pages room is to be made; nil while there is enough.
    private var target: Int32?
    /// The pages of the log after the last commit.
    private var pages: Int32 = 0

    init(connection: Connection, core: StoreCore) {
        self.connection = connection
        self.core = core
        pageBytes = connection.peek("PRAGMA page_size") ?? 4_096
    }

    /// Notes whether the next commits need room.
    ///
    /// - Parameter pages: Those of the log after a commit.
    func note(_ pages: Int32) {
        let isNew = pages <= self.pages
        let last = min(isNew ? pages : pages - self.pages, Self.step.upperBound)
        self.pages = pages
        // The engine began the log anew, and somebody may have cut it off before.
        if isNew { room = 0 }
        if pages + last <= room { return }
        let growth = min(max(pages * 3, Self.step.lowerBound), Self.step.upperBound)
        target = max(pages + growth, pages + last)
    }

    /// Makes room once the log is about to need it. Call it at the beginning of a transaction that
    /// writes.
    ///
    /// Nobody else writes into the log then: between the look at the log's length and the writing,
    /// somebody's commit would be written over.
    func growIfDue() {
        guard let target else { return }
        // Whatever happens, the next attempt is made when the log has grown as much again.
        self.target = nil
        room = target
        // Until a commit has put a new beginning on the disk, the frames from before may be there
        // again after a loss of power, and zeros among them would leave a part of them.
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
