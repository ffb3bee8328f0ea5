import CSQLite
import DuramenModel

/// The engine's own handle of a log, so that no second handle is closed.
///
/// Its frames: sqlite.org, "WAL-mode File Format".
struct LogFile {
    private static let headerBytes: Int64 = 32
    private static let frameHeaderBytes: Int64 = 24

    /// The length of a log with a number of frames.
    static func byteCount(frames: Int64, pageBytes: Int64) -> Int64 {
        headerBytes + frames * (frameHeaderBytes + pageBytes)
    }

    /// The number of frames in a log of a length.
    static func frameCount(bytes: Int64, pageBytes: Int64) -> Int64 {
        (bytes - headerBytes) / (frameHeaderBytes + pageBytes)
    }

    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    fileprivate init?(_ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods else { return nil }
        self.file = file
        self.methods = methods.pointee
    }

    var byteCount: Int64? {
        var bytes: Int64 = 0
        return methods.xFileSize?(file, &bytes) == SQLITE_OK ? bytes : nil
    }

    func writeZeros(from start: Int64, to end: Int64) -> Bool {
        let zeros = [UInt8](repeating: 0, count: Int(min(end - start, 65_536)))
        var place = start
        while place < end {
            let count = min(end - place, Int64(zeros.count))
            if methods.xWrite?(file, zeros, Int32(count), place) != SQLITE_OK { return false }
            place += count
        }
        return true
    }

    @discardableResult
    func cut(to bytes: Int64) -> Bool { methods.xTruncate?(file, bytes) == SQLITE_OK }

    func synchronize() -> Bool { methods.xSync?(file, SQLITE_SYNC_NORMAL) == SQLITE_OK }
}

extension Connection {
    /// The log, if there is one.
    var log: LogFile? { file(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(LogFile.init) }

    /// Cuts off the remains of a refused commit from the log, after its last commit. Call it
    /// between transactions.
    ///
    /// The engine writes the header of a frame, then its page. If the disk has room only for the
    /// header, the page contains earlier or later bytes of the log. By chance they can equal the
    /// intended page: zeros that were written in advance, or a page from before a restart. Then the
    /// frame is complete. The engine has forgotten it, but after a crash a reader of the log would
    /// treat the refused commit as successful. Nothing after the committed frames is needed.
    ///
    /// - Returns: Whether nothing is left; false also if unknown.
    func cutRefusedCommit() -> Bool {
        var isClean = false
        try? holdingWriteLock {
            guard let log, let frames = committedFrames, let bytes = log.byteCount,
                let pageBytes = peek("PRAGMA page_size")
            else { return }
            let end = LogFile.byteCount(frames: Int64(frames), pageBytes: pageBytes)
            isClean = bytes <= end || log.cut(to: end) && log.synchronize()
        }
        return isClean
    }

    /// The number of committed frames in the log, from the index that all processes share; nil if
    /// unknown. It does not change while the caller has the lock of writers.
    var committedFrames: UInt32? {
        // Sound: mxFrame is the native word at 16 of a region of 32 KiB that is aligned to pages.
        logIndexStart?.load(fromByteOffset: 16, as: UInt32.self)
    }

    /// Whether the file has a log instead of a rollback journal. Counts no statement.
    var hasLog: Bool {
        guard let statement = try? prepare("PRAGMA journal_mode"), statement.step() == SQLITE_ROW
        else { return false }
        return sqlite3_column_text(statement.handle, 0).map { StoredText(String(cString: $0)) }
            == "wal"
    }

    /// The start of the log's index, which does not move while the connection is open. Nil before
    /// the first transaction, and without an index. Only for a file that has a log: for another,
    /// the engine would make an index and leave it there.
    var logIndexStart: UnsafeRawPointer? {
        guard let file = file(SQLITE_FCNTL_FILE_POINTER), let methods = file.pointee.pMethods else {
            return nil
        }
        var region: UnsafeMutableRawPointer?
        let result = withUnsafeMutablePointer(to: &region) {
            // Sound: the engine has mapped the first region, of this size, since the first
            // transaction. It keeps the region while the connection is open. A volatile pointer has
            // the same representation.
            methods.pointee.xShmMap?(file, 0, 32_768, 0, $0)
        }
        guard result == SQLITE_OK, let region else { return nil }
        return UnsafeRawPointer(region)
    }

    private func file(_ which: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", which, &file) == SQLITE_OK else { return nil }
        return file
    }
}
