import DuramenFileStore
import DuramenModel
import DuramenStore

/// All writing to a store, one writer at a time among all threads and processes.
///
/// Saves, keys and housekeeping are in extensions.
// Sound: `use`, `leases`, `indexes`, `history` and `saveCount` are used with `mutex` held only; the
// rest never changes.
final class StoreWriter: @unchecked Sendable {
    let schema: StoreSchema
    let environment: Environment
    /// The snapshots of this process, which may be ended when their lease has expired.
    let held: HeldSnapshots
    let check: ChangeCheck
    var leases: [KeyLease]
    /// The list of indexes found by the last transaction; nil if it was not committed.
    var indexes: KnownIndexes?
    var saveCount = 0
    let history: HistoryWriter
    let clock: StoreClock
    let folder: StoreFolder
    private let lock: StoreFileLock
    private let durability: Durability
    private let timeoutSeconds: Double
    /// The largest number of bytes of a value in a row.
    let largestInlineValueBytes: Int
    private let mutex = Locked<Void>(())
    /// Nil once the store is closed.
    var use: EnvironmentUse?

    /// The number of each index, and the bytes of the list.
    struct KnownIndexes {
        let bytes: [UInt8]
        let numbers: IndexNumbers
    }

    init(
        schema: StoreSchema, use: EnvironmentUse, lock: StoreFileLock, folder: StoreFolder,
        held: HeldSnapshots, _ description: PersistentStoreDescription
    ) {
        self.schema = schema
        self.use = use
        environment = use.environment
        self.lock = lock
        self.folder = folder
        self.held = held
        durability = description.durability
        timeoutSeconds = description.boundedTimeoutSeconds
        largestInlineValueBytes = description.largestInlineValueBytes
        clock = description.clock
        history = HistoryWriter(schema, description.clock)
        check = ChangeCheck(model: schema.model, store: schema.handle)
        leases = schema.model.entities.map { _ in KeyLease() }
    }

    /// Whether a save synchronises files before it refers to them.
    var synchronizesFiles: Bool { durability != .unsafeNoSync }

    // MARK: - Exclusive use

    /// Calls `body` exclusively among all threads of this process.
    func aloneHere<R: Sendable>(
        _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try mutex.withLock { (_) throws(StoreError) -> R in
            try schema.checkOpen()
            return try body()
        }
    }

    /// Calls `body` exclusively among all threads and processes.
    func alone<R: Sendable>(
        _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try aloneHere { () throws(StoreError) -> R in
            try environment.checkWritable()
            try lock.acquire()
            defer { lock.release() }
            // Only other programs move files while the lock is held.
            guard environment.isStill(in: folder) else { throw moved }
            return try body()
        }
    }

    /// Does optional work exclusively; returns nil when another user writes or the time is up.
    func aloneIfAvailable<R: Sendable>(withinSeconds: Double, _ body: () -> R?) -> R? {
        mutex.withLockIfAvailable { _ -> R? in
            guard (try? schema.checkOpen()) != nil, !environment.hasFailed,
                environment.isStill(in: folder),
                (try? lock.acquire(withinSeconds: withinSeconds)) != nil
            else { return nil }
            defer { lock.release() }
            return body()
        } ?? nil
    }

    private var moved: StoreError {
        StoreError(
            .storeFileMoved,
            "'\(folder.path)' was moved, replaced or deleted while it was open; close the store and open "
                + "it again.")
    }

    // MARK: - Transactions

    /// Calls `body` in a transaction that is rolled back when it throws or returns nil.
    func transaction<R>(
        _ body: (Transaction) throws(StoreError) -> R?
    ) throws(StoreError) -> R? {
        try Transaction.run(
            environment, durability: durability, timeoutSeconds: timeoutSeconds,
            commit: { (transaction) throws(StoreError) in try commit(transaction) },
            { (transaction) throws(StoreError) -> R? in
                do throws(StoreError) {
                    let result = try body(transaction)
                    if result == nil { history.forget() }
                    return result
                } catch {
                    indexes = nil
                    history.forget()
                    throw error
                }
            })
    }

    /// Commits. The engine writes the page that defines the new state last, so most failures change
    /// nothing.
    private func commit(_ transaction: Transaction) throws(StoreError) {
        let result = transaction.commit()
        if result == 0 { return }
        history.forget()
        let error = transaction.commitError(result, "save to")
        if transaction.needsMap { throw error }
        // The engine refuses to continue if the content of this page is unknown.
        let isDecided: Bool
        do throws(StoreError) {
            try Transaction.writing(environment, durability: durability, timeoutSeconds: 0).abort()
            isDecided = true
        } catch {
            isDecided = false
        }
        // Without space nothing of the commit was written.
        if isDecided, [.diskFull, .tooLarge].contains(error.code) { throw error }
        // Linux may report a failed fsync once and then success for lost pages.
        environment.fail(
            StoreError(
                .io,
                "An earlier commit to '\(schema.path)' failed half way; nothing more is written until "
                    + "the store is closed everywhere in this process and opened again.",
                detail: error.description))
        if isDecided { throw error }
        throw StoreError(
            .unknownOutcome,
            "The commit to '\(schema.path)' failed half way; open the store again and look for the "
                + "save's identifier.", detail: error.description)
    }

    /// The number of each index in this transaction; another process may have created or dropped
    /// some.
    func numbers(_ transaction: Transaction) throws(StoreError) -> IndexNumbers {
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        if let indexes, try meta.isIndexList(indexes.bytes) { return indexes.numbers }
        try schema.check(try meta.indexList())
        let numbers = IndexNumbers(
            try IndexUpkeep(schema: schema, transaction: transaction).reconcile(), schema)
        indexes = try meta.indexListBytes().map { KnownIndexes(bytes: Array($0), numbers: numbers) }
        return numbers
    }

    /// The number of each index; nil for those that do not exist.
    struct IndexNumbers {
        let all: [UInt32?]
        /// By entity: the existing indexes.
        let made: [[Int]]

        /// The constraints that are not enforced.
        let unenforced: Set<UniquenessConstraint>
        /// By index: whether its values must be unique.
        let isUnique: [Bool]

        init(_ list: IndexList, _ schema: StoreSchema) {
            let numbers = list.numbers(of: schema.indexes)
            all = numbers
            unenforced = list.unenforcedConstraints(of: schema)
            isUnique = schema.indexes.map { $0.isOfConstraint && !list.isUnenforced($0) }
            made = schema.places.map { $0.indexes.filter { numbers[$0] != nil } }
        }
    }

    // MARK: - Closing

    /// Waits for current work, and releases the environment.
    func close() { mutex.withLock { _ in use = nil } }
}
