import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Operations on a store's file that need no model.
struct ClosedStore {
    let description: PersistentStoreDescription
    var path: String { description.location }

    init(_ description: PersistentStoreDescription) { self.description = description }

    /// Opens a connection to an existing store of Duramen or Core Data.
    func connect(isReadOnly: Bool) throws(StoreError) -> Connection {
        let (file, content) = try StoreFile.claim(path, makes: false)
        guard let file, content == .database else {
            throw StoreError(.storeMissing, "There is no store at '\(path)'.")
        }
        return try connect(file, isReadOnly: isReadOnly)
    }

    private func connect(_ file: OpenStoreFile, isReadOnly: Bool) throws(StoreError) -> Connection {
        let options = ConnectionOptions(
            file: file, path: path, isReadOnly: isReadOnly,
            timeoutSeconds: description.boundedTimeoutSeconds,
            durability: description.durability)
        let tables =
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' "
            + "AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')"
        let (connection, count) = try options.openReading(tables, counters: StoreCounters())
        if count != 2 {
            throw StoreError(
                .foreignFile, "'\(path)' is an SQLite database but not a store; name another file.")
        }
        try options.configure(connection, cacheKibibytes: 2_000)
        return connection
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        if description.isReadOnly {
            throw StoreError(.readOnly, "'\(path)' is described as for reading only.")
        }
        let connection = try connect(isReadOnly: false)
        try withLock { () throws(StoreError) in
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try MetadataTable(connection: connection).replaceUserInfo(userInfo)
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                // A refused commit must not reappear after a crash.
                if error.code == .diskFull, !connection.cutRefusedCommit() {
                    throw StoreError(
                        .unknownOutcome,
                        "The commit to '\(path)' failed half way; read the metadata to see what it has.",
                        detail: error.description)
                }
                throw error
            }
        }
    }

    func destroy() throws(StoreError) {
        guard let file = try StoreFile.claimAlone(path) else { return try removeLeftFiles() }
        try withLock { () throws(StoreError) in
            try checkUnused(file)
            let external = externalFolder(file)
            for suffix in ["-wal", "-shm", "-journal", ""] {
                let error = SystemCalls.removeFile(path + suffix)
                if error != 0, error != SystemCalls.noEntry {
                    throw StoreError(
                        SystemCalls.isPermission(error) ? .permissionDenied : .io,
                        "'\(path)\(suffix)' cannot be removed; check the folder's mode.",
                        detail: SystemCalls.message(error))
                }
            }
            try Self.remove(ExternalValues.ownFolder(of: path), of: path)
            if let external { try Self.remove(external, of: path) }
        }
    }

    /// Whether a migration made the file, and the folders of its values have no other files.
    private static func hasOwnFolders(_ path: String) -> Bool {
        let name = StorePath.name(of: path)
        if PersistentStoreDescription.isWorkingCopy(name) { return true }
        guard PersistentStoreDescription.isCopy(name) else { return false }
        // Stores whose names differ in their extensions share the folder that Core Data used.
        let stem = (name as NSString).deletingPathExtension
        let all = try? FileManager.default.contentsOfDirectory(atPath: StorePath.folder(of: path))
        return all?.contains {
            !$0.hasPrefix(name) && ($0 as NSString).deletingPathExtension == stem
        } == false
    }

    /// Removes the large values of a store, and those that Core Data named if it is a copy.
    private static func remove(
        _ folder: ExternalValueFolder, of path: String
    ) throws(StoreError) {
        if hasOwnFolders(path) { try folder.removeAll() } else { try folder.remove() }
    }

    /// The folder of large values of a Core Data file; nil for a file of Duramen, or a damaged one.
    private func externalFolder(_ file: OpenStoreFile) -> ExternalValueFolder? {
        // A copy may have been one before it was migrated.
        if Self.hasOwnFolders(path) { return ExternalValues.coreDataFolder(of: path) }
        guard let connection = try? connect(file, isReadOnly: false),
            (try? MetadataTable(connection: connection).isAdopted()) == true
        else { return nil }
        return ExternalValues(storePath: path, isOwnFile: false).folder
    }

    /// Removes the rest of a store whose removal was interrupted, or of an interrupted copy to its
    /// path.
    private func removeLeftFiles() throws(StoreError) {
        var folders = [ExternalValues.ownFolder(of: path)]
        if Self.hasOwnFolders(path) { folders.append(ExternalValues.coreDataFolder(of: path)) }
        let unfinished = path + Self.unfinishedMark
        var isCutShort: Bool {
            if case .file = SystemCalls.kind(of: unfinished) { true } else { false }
        }
        guard folders.contains(where: \.exists) || isCutShort else { return }
        try withLock { () throws(StoreError) in
            guard case .missing = SystemCalls.kind(of: path) else { return }
            for folder in folders { try Self.remove(folder, of: path) }
            Self.removeFiles(at: unfinished)
        }
    }

    /// The suffix of the file that a copy writes before it gets its name.
    static let unfinishedMark = ".copying"

    /// Checks that no other connection exists: otherwise the exclusive locking mode of a log fails.
    private func checkUnused(_ file: OpenStoreFile) throws(StoreError) {
        guard case .file(_, let size) = SystemCalls.kind(of: path), size > 0 else { return }
        do throws(StoreError) {
            let connection = try connect(file, isReadOnly: false)
            sqlite3_busy_timeout(connection.handle, 0)
            try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            try connection.execute("BEGIN EXCLUSIVE")
            try connection.execute("ROLLBACK")
        } catch {
            if error.code == .storeBusy { throw inUse }
            // The file of a process that died while creating it is empty now.
            if case .file(_, 0) = SystemCalls.kind(of: path) { return }
            // A damaged store may be removed.
            if error.code != .damagedFile { throw error }
        }
    }

    private var inUse: StoreError {
        StoreError(
            .storeBusy, "'\(path)' is open; close it everywhere before it is taken away.")
    }

    /// Copies the store into a file of another name, and renames that when it is durable, so that
    /// nobody finds half of a copy.
    func copy(to destination: String) throws(StoreError) {
        let source = try connect(isReadOnly: true)
        // Before the lock makes its file beside it.
        try Self.checkIsFree(destination)
        let lock = try StoreFileLock(
            storePath: try StorePath(destination, example: "a file, such as 'sqlite:copy.sqlite'")
                .path, timeoutSeconds: description.boundedTimeoutSeconds)
        try lock.withLock { () throws(StoreError) in
            try Self.checkIsFree(destination)
            let values = try valueFolder(of: destination, for: source)
            let isThere = values.exists
            let unfinished = destination + Self.unfinishedMark
            // Left by a process that was killed.
            Self.removeFiles(at: unfinished)
            do throws(StoreError) {
                try copyState(of: source, to: destination) { () throws(StoreError) in
                    try openNew(unfinished)
                }
                var error = SystemCalls.synchronize(unfinished)
                // Left by a store that was removed by hand; they would be taken for the copy's own.
                for suffix in ["-wal", "-shm", "-journal"] {
                    _ = SystemCalls.removeFile(destination + suffix)
                }
                if error == 0 { error = SystemCalls.rename(unfinished, to: destination) }
                if error == 0 { error = SystemCalls.synchronize(Self.folder(of: destination)) }
                if error != 0 { throw Self.failure(error, destination) }
            } catch {
                Self.removeFiles(at: unfinished)
                _ = SystemCalls.removeFile(destination)
                if !isThere { try? Self.remove(values, of: destination) }
                throw error
            }
        }
    }

    private static func checkIsFree(_ path: String) throws(StoreError) {
        if case .missing = try StoreFile(path: path).inspect(isOpen: { _ in false }) { return }
        throw StoreError(
            .invalidRequest, "Something is at '\(path)' already; name a free path.")
    }

    private func openNew(_ path: String) throws(StoreError) -> Connection {
        guard let file = try StoreFile.claim(path, makes: true).file else {
            throw Self.failure(SystemCalls.noEntry, path)
        }
        return try ConnectionOptions(
            file: file, path: path, isReadOnly: false,
            timeoutSeconds: description.boundedTimeoutSeconds, durability: .full
        ).open(counters: StoreCounters())
    }

    private static func removeFiles(at path: String) {
        for suffix in ["-wal", "-shm", "-journal", ""] { _ = SystemCalls.removeFile(path + suffix) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ error: Int32, _ path: String) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "'\(path)' cannot be written; check its folder and the space on the disk.",
            detail: SystemCalls.message(error))
    }

    /// The folder of large values for a file with the pages of a store.
    func valueFolder(
        of path: String, for source: Connection
    ) throws(StoreError) -> ExternalValueFolder {
        let isOwnFile = try !MetadataTable(connection: source).isAdopted()
        return ExternalValues(storePath: path, isOwnFile: isOwnFile).folder
    }

    /// Copies one state: first the large values, then the pages.
    func copyState(
        of source: Connection, to destination: String,
        _ connection: () throws(StoreError) -> Connection
    ) throws(StoreError) {
        // Files that this state refers to are not removed while it is being read.
        try source.execute("BEGIN")
        try valueFolder(of: path, for: source).copy(
            to: valueFolder(of: destination, for: source))
        let copy = try connection()
        try source.readingUnwritten { () throws(StoreError) in
            try Self.copyPages(from: source, to: copy)
        }
        try source.execute("COMMIT")
    }

    /// Replaces the pages with those of another store, in one transaction. A crash leaves either
    /// the old or the new store.
    func replace(with other: ClosedStore) throws(StoreError) {
        // The source must be sound before anything is removed.
        let source = try other.connect(isReadOnly: true)
        if try overwrite(from: source, other) { return }
        try destroy()
        try other.copy(to: path)
    }

    /// - Returns: False when the file is missing, empty or damaged. Nothing was written then.
    private func overwrite(
        from source: Connection, _ other: ClosedStore
    ) throws(StoreError) -> Bool {
        guard let file = try StoreFile.claimAlone(path) else { return false }
        if file.identity == FileIdentity(path: other.path) { throw StoreError.isItself(path) }
        if case .file(_, 0) = SystemCalls.kind(of: path) { return false }
        var isThere = true
        try withLock { () throws(StoreError) in
            let connection: Connection
            do throws(StoreError) {
                connection = try connect(file, isReadOnly: false)
                try takeAlone(connection)
            } catch {
                guard error.code == .damagedFile else { throw error }
                isThere = false
                return
            }
            // Values have unique file names; housekeeping removes unused ones.
            try other.copyState(of: source, to: path) { connection }
        }
        return isThere
    }

    /// Blocks all other users, and turns the log off. The copied saves are another store's, so
    /// after a crash a log with them would be mistaken for another file's.
    private func takeAlone(_ connection: Connection) throws(StoreError) {
        sqlite3_busy_timeout(connection.handle, 0)
        do throws(StoreError) {
            try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            let mode = try connection.texts("PRAGMA journal_mode=DELETE").first
            if mode.map({ StoredText($0) }) != "delete" { throw inUse }
        } catch {
            throw error.code == .storeBusy ? inUse : error
        }
    }

    /// Copies all pages in one step and one read transaction, so that the copy is of one moment.
    private static func copyPages(
        from source: Connection, to copy: Connection
    ) throws(StoreError) {
        guard let backup = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw copy.error(sqlite3_errcode(copy.handle), "copy to")
        }
        let result = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        if result != SQLITE_DONE { throw source.error(result, "copy") }
        if end != SQLITE_OK { throw copy.error(end, "copy to") }
    }

    private func withLock(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let lock = try StoreFileLock(
            storePath: path, timeoutSeconds: description.boundedTimeoutSeconds)
        try lock.withLock(body)
    }
}
