import CLMDB
import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// An open environment of the engine: one per file in a process, shared by all its stores.
// Sound: the engine's environments may be used from any thread, and all else is guarded.
final class Environment: @unchecked Sendable {
    /// The largest number of tables: four of the store's own, and one for each root entity.
    static let tableLimit: UInt32 = 10_016
    /// Enough tables for most stores. The engine copies a number per table for every write
    /// transaction.
    static let usualTableLimit: UInt32 = 256
    /// The largest number of simultaneous read transactions of all processes.
    static let readerLimit: UInt32 = 1_000

    let handle: OpaquePointer
    /// The path of the store in messages.
    let path: String
    /// The folder of the files: at ``path``, or a copy elsewhere.
    let folder: StoreFolder
    let isReadOnly: Bool
    /// The size of a page of the file.
    let pageBytes: Int
    /// The identity of the data file, independent of its path.
    let identity: FileIdentity
    private let companions: [FileIdentity?]
    private let watch: FolderWatch
    let process = ProcessMark()
    /// Counts transactions, so that the map grows only without them.
    let gate = MapGate()
    private let claim: Locked<OpenStoreFile?>
    private let tables = Locked<Void>(())
    private let onEnd: @Sendable (Environment) -> Void
    /// Whether no other process has the store open at the moment.
    let isOnlyUser: @Sendable () -> Bool
    private let compacts = Atomic<Bool>(false)
    private let unsafe = Atomic<Bool>(false)

    /// The reason why nothing can be written any more; nil without one.
    private let failed = Locked<StoreError?>(nil)

    /// Opens the environment in a folder whose files were checked before.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - path: The path of the store in messages; nil for the folder's.
    ///   - isReadOnly: Whether the environment is opened for reading only.
    ///   - claim: The claim on the data file.
    ///   - tables: The number of tables that may be created.
    ///   - mapBytes: The address space to reserve, halved until the system grants it.
    ///   - isOnlyUser: Returns whether no other process has the store open at the moment.
    ///   - onEnd: The work of ``close()``; it calls ``end()``.
    init(
        _ folder: StoreFolder, namedAs path: String? = nil, isReadOnly: Bool, claim: OpenStoreFile,
        tables: Int = 0, mapBytes: Int, isOnlyUser: @escaping @Sendable () -> Bool = { true },
        onEnd: @escaping @Sendable (Environment) -> Void
    ) throws(StoreError) {
        self.path = path ?? folder.path
        self.folder = folder
        watch = FolderWatch(folder.path)
        self.isReadOnly = isReadOnly
        identity = claim.identity
        self.claim = Locked(claim)
        self.onEnd = onEnd
        self.isOnlyUser = isOnlyUser
        handle = try Self.open(
            folder.path, isReadOnly: isReadOnly, tables: tables, mapBytes: mapBytes)
        var statistics = MDB_stat()
        mdb_env_stat(handle, &statistics)
        pageBytes = Int(statistics.ms_psize)
        companions = folder.companions
    }

    /// Closes the environment; called once, after the last transaction.
    func close() {
        onEnd(self)
        claim.withLock { $0 = nil }
    }

    /// Whether the files are still those in the folder, so that none was moved, replaced or
    /// deleted.
    func isStill(in folder: StoreFolder) -> Bool {
        let isMoved = watch.changes {
            FileIdentity(path: folder.data) == identity && folder.companions == companions
                ? nil : true
        }
        return isMoved == nil
    }

    /// Releases the engine's memory and files.
    func end() { mdb_env_close(handle) }

    #if DURAMEN_THREAD_SANITIZER
    /// The sanitizer leaves 6 TiB to a program, and ends it once they are taken.
    static let mapBytes = 1 << 30
    #else
    /// 1 TiB of address space, which uses no memory before it contains data.
    static let mapBytes = 1 << 40
    #endif
    private static let smallestMapBytes = 1 << 24

    private static func open(
        _ path: String, isReadOnly: Bool, tables: Int, mapBytes: Int
    ) throws(StoreError) -> OpaquePointer {
        let handle = try open(
            path, isReadOnly: isReadOnly, tableLimit: usualTableLimit, mapBytes: mapBytes)
        if count(ofTablesIn: handle) + tables <= Int(usualTableLimit) { return handle }
        mdb_env_close(handle)
        return try open(path, isReadOnly: isReadOnly, tableLimit: tableLimit, mapBytes: mapBytes)
    }

    /// The number of tables, including those of earlier models.
    private static func count(ofTablesIn environment: OpaquePointer) -> Int {
        var transaction: OpaquePointer?
        // The next opening of tables reports the error.
        guard mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0 else {
            return 0
        }
        defer { mdb_txn_abort(transaction) }
        var main: MDB_dbi = 0
        var statistics = MDB_stat()
        guard mdb_dbi_open(transaction, nil, 0, &main) == 0,
            mdb_stat(transaction, main, &statistics) == 0
        else { return 0 }
        return statistics.ms_entries
    }

    private static func open(
        _ path: String, isReadOnly: Bool, tableLimit: UInt32, mapBytes: Int
    ) throws(StoreError) -> OpaquePointer {
        var bytes = mapBytes
        while true {
            var made: OpaquePointer?
            var result = mdb_env_create(&made)
            guard result == 0, let handle = made else {
                throw EngineError.error(result, path: path, action: "open")
            }
            mdb_env_set_maxdbs(handle, tableLimit)
            mdb_env_set_maxreaders(handle, readerLimit)
            mdb_env_set_mapsize(handle, bytes)
            // Readers move between threads.
            var flags = UInt32(MDB_NOTLS)
            if isReadOnly { flags |= UInt32(MDB_RDONLY) }
            result = mdb_env_open(handle, path, flags, 0o600)
            if result == 0 { return handle }
            mdb_env_close(handle)
            guard EngineError.isOutOfMemory(result), bytes > smallestMapBytes else {
                throw EngineError.error(result, path: path, action: "open")
            }
            bytes /= 2
        }
    }

    /// Reads parts of the data file through the engine's file handle: closing another handle would
    /// drop locks of this process.
    var pages: FilePages? {
        var file: mdb_filehandle_t = -1
        guard mdb_env_get_fd(handle, &file) == 0 else { return nil }
        return FilePages(borrowing: file)
    }

    // MARK: - State

    /// Throws after a write with an unknown outcome.
    func checkWritable() throws(StoreError) {
        if let failure = failed.withLock({ $0 }) { throw failure }
    }

    /// Prevents further writes.
    func fail(_ error: StoreError) { failed.withLock { $0 = $0 ?? error } }

    /// Whether nothing can be written any more.
    var hasFailed: Bool { failed.withLock { $0 != nil } }

    /// The failures that commits survive. It is set before each write transaction, under the lock
    /// of all writers, because LMDB 0.9 ignores flags of a single transaction.
    var durability: Durability {
        get {
            var flags: UInt32 = 0
            mdb_env_get_flags(handle, &flags)
            if flags & UInt32(MDB_NOSYNC) != 0 { return .unsafeNoSync }
            return flags & UInt32(MDB_NOMETASYNC) != 0 ? .relaxed : .full
        }
        set {
            if newValue == .unsafeNoSync { unsafe.store(true, ordering: .relaxed) }
            mdb_env_set_flags(handle, UInt32(MDB_NOSYNC), newValue == .unsafeNoSync ? 1 : 0)
            mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), newValue == .relaxed ? 1 : 0)
        }
    }

    /// Whether a loss of power may have made, or may make, the file inconsistent.
    var isUnsafe: Bool { unsafe.load(ordering: .relaxed) }

    /// Whether the last user compacts the file.
    var wantsCompaction: Bool { compacts.load(ordering: .relaxed) }

    /// Lets the last user compact the file.
    func compactAtEnd() { compacts.store(true, ordering: .relaxed) }

    /// The number of bytes of the used pages, including those of old states.
    var usedBytes: Int {
        var information = MDB_envinfo()
        var statistics = MDB_stat()
        guard mdb_env_info(handle, &information) == 0, mdb_env_stat(handle, &statistics) == 0 else {
            return 0
        }
        return (information.me_last_pgno + 1) * Int(statistics.ms_psize)
    }

    /// The engine's number of the newest state; nil if unknown.
    var newestNumber: Int? {
        var information = MDB_envinfo()
        return mdb_env_info(handle, &information) == 0 ? information.me_last_txnid : nil
    }

    /// Removes readers whose process has died, because they keep old pages from being reused.
    @discardableResult func removeDeadReaders() -> Int {
        var dead: Int32 = 0
        return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
    }

    /// Whether any process reads a state that is not the newest. While the caller holds the lock of
    /// all writers, the result stays valid, since the newest state cannot become old.
    var hasOlderReaders: Bool {
        var information = MDB_envinfo()
        guard mdb_env_info(handle, &information) == 0 else { return true }
        var search = (newest: information.me_last_txnid, isFound: false)
        // The engine reports each reader as a line: process, thread, and the number of its state or
        // "-".
        let result = withUnsafeMutablePointer(to: &search) { search in
            mdb_reader_list(
                handle,
                { line, context in
                    guard let line, let context else { return 0 }
                    let words = String(cString: line).split(whereSeparator: \.isWhitespace)
                    // Sound: handed over with this call.
                    let search = context.assumingMemoryBound(
                        to: (newest: Int, isFound: Bool).self)
                    if let state = words.last.flatMap({ Int($0) }), words.count == 3,
                        state < search.pointee.newest
                    {
                        search.pointee.isFound = true
                    }
                    return 0
                }, search)
        }
        return result < 0 || search.isFound
    }

    /// Synchronises everything committed with the disk.
    func synchronize() throws(StoreError) {
        let result = mdb_env_sync(handle, 1)
        if result != 0 { throw EngineError.error(result, path: path, action: "write to") }
    }

    /// Writes a compact copy, of one moment, to a new file.
    func copy(to file: String) throws(StoreError) {
        // The engine would create a file that others may read.
        let copy = SystemCalls.openNewFile(file)
        if copy < 0 { throw EngineError.error(-copy, path: path, action: "copy") }
        let result = mdb_env_copyfd2(handle, copy, UInt32(MDB_CP_COMPACT))
        SystemCalls.closeFile(copy)
        if result != 0 { throw EngineError.error(result, path: path, action: "copy") }
    }

    /// Calls `body`, which opens tables in a transaction and ends it: the engine allows one such
    /// transaction at a time.
    func openingTables<R: Sendable>(
        _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try tables.withLock { (_) throws(StoreError) in try body() }
    }

    // MARK: - The map

    /// Gives the engine at least twice its address space.
    ///
    /// - Parameters:
    ///   - bytes: The minimum number of additional bytes.
    ///   - seconds: How long to wait for other transactions.
    /// - Throws: `.storeBusy` when other transactions of this process continue until the deadline.
    func growMap(byAtLeast bytes: Int = 0, withinSeconds seconds: Double) throws(StoreError) {
        try gate.whileEmpty(withinSeconds: seconds, path: path) { () throws(StoreError) in
            var information = MDB_envinfo()
            mdb_env_info(handle, &information)
            let size = max(information.me_mapsize * 2, information.me_mapsize + bytes)
            // The engine unmaps the old map first, and cannot continue without one.
            guard SystemCalls.canMap(size) else {
                throw StoreError(
                    .tooLarge,
                    "'\(path)' needs more address space than the system grants; raise the limit of this "
                        + "process.")
            }
            let result = mdb_env_set_mapsize(handle, size)
            if result != 0 { throw EngineError.error(result, path: path, action: "write to") }
        }
    }
}
