import CSQLite

/// The engine's own handle of a log, so that no second one is closed beside it.
///
/// Its frames: sqlite.org, "WAL-mode File Format".
struct LogFile {
    private static let headerBytes: Int64 = 32
    private static let frameHeaderBytes: Int64 = 24

    /// The length of a log of so many frames.
    static func byteCount(frames: Int64, pageBytes: Int64) -> Int64 {
        headerBytes + frames * (frameHeaderBytes + pageBytes)
    }

    /// How many frames a log of a length holds.
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
    /// The log, while there is one.
    var log: LogFile? { file(SQLITE_FCNTL_JOURNAL_POINTER).flatMap(LogFile.init) }

    /// Cuts off what a refused commit has left in the log behind the last one that was made. Call
    /// it between transactions.
    ///
    /// The engine writes the header of a frame, then its page. When the disk has room for the
    /// header only, the page is what the log had there before, or gets there later, and that may be
    /// the very page that was meant: zeros that were written in advance, or as an earlier round
    /// left it. The frame is whole then. The engine has forgotten it, but whoever reads the log
    /// after a crash would take the refused commit for one that was made. Nobody needs what is
    /// behind the committed frames.
    ///
    /// - Returns: Whether nothing is left; false as well when that cannot be told.
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

    /// The frames of the log that are committed, from the index that all processes share; nil when
    /// it cannot be told. It does not change while the caller has the lock of writers.
    var committedFrames: UInt32? {
        // Sound: mxFrame is the native word at 16 of a region of 32 KiB that is aligned to pages.
        logIndexStart?.load(fromByteOffset: 16, as: UInt32.self)
    }

    /// The beginning of the index of the log, which stays where it is while the connection is open;
    /// nil before the first transaction, and where there is none.
    var logIndexStart: UnsafeRawPointer? {
        guard let file = file(SQLITE_FCNTL_FILE_POINTER), let methods = file.pointee.pMethods else {
            return nil
        }
        var region: UnsafeMutableRawPointer?
        let result = withUnsafeMutablePointer(to: &region) {
            // Sound: the engine has mapped the first region, of this size, since the first
            // transaction, and keeps it while the connection is open; a volatile pointer has the
            // same representation.
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
