import DuramenFileStore
import DuramenStore

/// The files of an open store, to detect whether they were moved or replaced.
struct StorePlace: Sendable {
    let path: String
    private let file: FileIdentity
    // Nil if the engine keeps no such file, or if others may remove it.
    private let log: FileIdentity?
    private let index: FileIdentity?
    private let folder: FolderWatch

    /// One of the files.
    enum Part: String {
        case file = ""
        case log = "-wal"
        case index = "-shm"
    }

    /// Records the files of a store.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - file: The identity of the file.
    ///   - watchesLog: Whether a connection stays open, so that nobody removes log and index.
    init(path: String, file: FileIdentity, watchesLog: Bool) {
        self.path = path
        self.file = file
        folder = FolderWatch(StorePath.folder(of: path))
        log = watchesLog ? FileIdentity(path: path + Part.log.rawValue) : nil
        index = watchesLog ? FileIdentity(path: path + Part.index.rawValue) : nil
    }

    /// A file that was moved, replaced or deleted since; nil if all are in place. Checks three
    /// paths without opening them, or only their folder if it has not changed.
    var movedFile: Part? { folder.changes { misplaced } }

    private var misplaced: Part? {
        for (part, identity) in [(Part.file, file), (.log, log), (.index, index)] {
            guard let identity else { continue }
            if FileIdentity(path: path + part.rawValue) != identity { return part }
        }
        return nil
    }

    /// Returns the error for a file that was moved or replaced.
    func error(_ part: Part) -> StoreError {
        StoreError(
            .storeFileMoved,
            "The file '\(path)\(part.rawValue)' was moved, replaced or deleted while the store was "
                + "open; close the store, put the file back, and open it again.")
    }

    /// Checks that the files are in place, before another connection opens them.
    func check() throws(StoreError) {
        if let part = movedFile { throw error(part) }
    }

    /// The size of the file and its log.
    var byteCount: Int64 {
        [Part.file, .log].reduce(0) { sum, part in
            guard case .file(_, let size) = SystemCalls.kind(of: path + part.rawValue) else {
                return sum
            }
            return sum + size
        }
    }
}
