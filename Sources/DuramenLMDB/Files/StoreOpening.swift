import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Opens a store from its description.
struct StoreOpening {
    let description: PersistentStoreDescription
    let folder: StoreFolder
    let mapBytes: Int

    init(
        _ description: PersistentStoreDescription, mapBytes: Int = Environment.mapBytes
    ) throws(StoreError) {
        self.description = description
        self.mapBytes = mapBytes
        folder = try StoreFolder(description.location)
    }

    private var missing: StoreError {
        StoreError(
            .storeMissing,
            "There is no store at '\(folder.path)', and opening for reading does not create one.")
    }

    private func lock() throws(StoreError) -> StoreFileLock {
        try StoreFileLock(
            storePath: folder.path, timeoutSeconds: description.boundedTimeoutSeconds)
    }

    /// Calls `body` with the lock of all writers held.
    private func withLock<R>(
        _ lock: StoreFileLock, _ body: (StoreFileLock) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var lock = lock
        while true {
            try lock.acquire()
            defer { lock.release() }
            if lock.isInPlace { return try body(lock) }
            lock = try self.lock()
        }
    }

    /// Opens the environment of an existing store.
    func openEnvironment() throws(StoreError) -> EnvironmentUse {
        guard try folder.inspect() == .store else { throw missing }
        // A writer in this process may hold the lock and be copying the store.
        if description.isReadOnly, EnvironmentRegister.isOpen(folder) {
            return try use(tables: 0, isLocked: false)
        }
        if description.isReadOnly {
            // If the lock cannot be created, this user has no writers.
            guard let lock = try? lock() else { return try use(tables: 0, isLocked: false) }
            return try withLock(lock) { (_) throws(StoreError) in try use(tables: 0) }
        }
        return try withLock(lock()) { (_) throws(StoreError) in try use(tables: 0) }
    }

    /// - Parameters:
    ///   - tables: The number of tables that may be created.
    ///   - isLocked: Whether the caller holds the lock of all writers.
    private func use(tables: Int, isLocked: Bool = true) throws(StoreError) -> EnvironmentUse {
        try EnvironmentRegister.use(
            folder, isReadOnly: description.isReadOnly, tables: tables, mapBytes: mapBytes,
            check: OpeningCheck(description), isLocked: isLocked)
    }

    /// Opens the store, and creates it if it is missing and may be created.
    func open(model: ManagedObjectModel) throws(StoreError) -> LMDBStore {
        let added = AddedFiles(folder)
        do throws(StoreError) {
            return try openOrMake(model)
        } catch {
            added.takeAway()
            throw error
        }
    }

    private func openOrMake(_ model: ManagedObjectModel) throws(StoreError) -> LMDBStore {
        let content = try folder.inspect()
        if description.isReadOnly {
            guard content == .store else { throw missing }
            return try openReadOnly(model)
        }
        return try withLock(lock()) { (lock) throws(StoreError) in
            // Another process may have created the store while this one waited.
            if try folder.inspect() != .store { try NewStore(folder: folder, model: model).make() }
            return try openForWriting(model, lock)
        }
    }

    private func openReadOnly(_ model: ManagedObjectModel) throws(StoreError) -> LMDBStore {
        let use = try openEnvironment()
        let (schema, identity) = try use.environment.openingTables { () throws(StoreError) in
            let reader = try Reader(use, timeoutSeconds: description.boundedTimeoutSeconds)
            let check = try ModelCheck(
                reader.transaction, model: model, path: folder.path,
                missingValuesAreNull: description.opening.missingValuesAreNull)
            let schema = try check.schema()
            // The tables' handles are valid in all transactions only after a commit.
            try reader.commit()
            return (schema, check.identity)
        }
        return try finish(use, schema, identity: identity, nil)
    }

    private func openForWriting(
        _ model: ManagedObjectModel, _ lock: StoreFileLock
    ) throws(StoreError) -> LMDBStore {
        // A leftover; other files are not in the way now.
        try? folder.clearWorkshop()
        // A migration with a working copy would hold the lock.
        try? StoreFolder(folder.path + PersistentStoreDescription.workingMark).clearLeftover()
        // One more than entities may need: that of the history, which older stores lack.
        let use = try use(
            tables: description.opening.isToBeMigrated
                ? Int(Environment.tableLimit) / 2 : model.entities.count + 1)
        let opened = try use.environment.openingTables { () throws(StoreError) in
            try write(in: use.environment) { (transaction) throws(StoreError) in
                let check = try ModelCheck(transaction, model: model, path: folder.path)
                let schema = try check.schema()
                _ = try IndexUpkeep(schema: schema, transaction: transaction)
                    .reconcile(looksAgain: true)
                try check.keepModel(transaction)
                return (schema, try check.raiseFormat(transaction))
            }
        }
        guard let (schema, identity) = opened else { throw missing }
        return try finish(use, schema, identity: identity, lock)
    }

    /// Calls `body` in a separate transaction. The caller holds the lock of all writers.
    func write<R>(
        in environment: Environment, _ body: (Transaction) throws(StoreError) -> R
    ) throws(StoreError) -> R? {
        try Transaction.run(
            environment, durability: description.durability,
            timeoutSeconds: description.boundedTimeoutSeconds,
            commit: { (transaction) throws(StoreError) in
                let result = transaction.commit()
                if result != 0 { throw transaction.commitError(result, "write to") }
            }, { (transaction) throws(StoreError) -> R? in try body(transaction) })
    }

    /// - Parameters:
    ///   - use: The environment.
    ///   - schema: The schema of the store.
    ///   - identity: The identity of the store.
    ///   - lock: The lock of all writers; nil for a store that is opened for reading only.
    private func finish(
        _ use: EnvironmentUse, _ schema: StoreSchema, identity: MetaTable.Identity,
        _ lock: StoreFileLock?
    ) throws(StoreError) -> LMDBStore {
        let registration = description.registration(of: identity.storeUUID)
        try OpenStoreFile.addStore(
            registration, in: use.environment.identity, path: folder.path)
        let held = HeldSnapshots(path: folder.path, lease: description.lease)
        let writer = lock.map {
            StoreWriter(
                schema: schema, use: use, lock: $0, folder: folder, held: held, description)
        }
        let pool = SnapshotPool(
            schema: schema, use: use, held: held,
            indexes: writer.map { IndexKeeper(schema: schema, writer: $0) },
            timeoutSeconds: description.boundedTimeoutSeconds)
        return LMDBStore(
            registration: registration, schema: schema, pool: pool, writer: writer,
            folder: folder, historySeconds: description.historySeconds)
    }
}
