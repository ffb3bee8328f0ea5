import DuramenFileStore
import DuramenStore

/// The files of an open store as they were found, to tell whether they are still where they were.
struct StorePlace: Sendable {
    let path: String
    private let file: FileIdentity
    // Nil where the engine keeps none, or where others may take them away.
    private let log: FileIdentity?
    private let index: FileIdentity?
    private let folder: FolderWatch

    /// One of the files.
    enum Part: String {
        case file = ""
        case log = "-wal"
        case index = "-shm"
    }

    /// Notes the files of a store.
    ///
    /// - Parameter watchesLog: Whether a connection stays open, so that nobody takes log and index
    ///   away.
    init(path: String, file: FileIdentity, watchesLog: Bool) {
        self.path = path
        self.file = file
        folder = FolderWatch(StorePath.folder(of: path))
        log = watchesLog ? FileIdentity(path: path + Part.log.rawValue) : nil
        index = watchesLog ? FileIdentity(path: path + Part.index.rawValue) : nil
    }

    /// A file that was moved, replaced or deleted since; nil when all are in place. It looks at
    /// three paths and opens none, or at their folder alone while nothing in that changes.
    var movedFile: Part? { folder.changes { misplaced } }

    private var misplaced: Part? {
        for (part, identity) in [(Part.file, file), (.log, log), (.index, index)] {
            guard let identity else { continue }
            if FileIdentity(path: path + part.rawValue) != identity { return part }
        }
        return nil
    }

    /// The error of a file that is no longer where it was.
    func error(_ part: Part) -> StoreError {
        StoreError(
            .storeFileMoved,
            "The file '\(path)\(part.rawValue)' was moved, replaced or deleted while the store was "
                + "open; close the store, put the file back, and open it again.")
    }

    /// Makes sure that the files are in place, before another connection opens them.
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
