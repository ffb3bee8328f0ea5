import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// Opens a store from its description.
struct StoreOpening {
    let description: PersistentStoreDescription
    let model: ManagedObjectModel

    private var path: String { description.location }

    func open() throws(StoreError) -> SQLiteStore {
        let (file, content) = try StoreFile.claim(path, makes: !description.isReadOnly)
        guard let file, content == .database || !description.isReadOnly else {
            throw StoreError(
                .storeMissing,
                "There is no store at '\(path)', and opening for reading does not create one.")
        }
        return try openExisting(file, isNew: content == .missing)
    }

    private func options(_ file: OpenStoreFile) -> ConnectionOptions {
        ConnectionOptions(
            file: file, path: path, isReadOnly: description.isReadOnly,
            timeoutSeconds: description.boundedTimeoutSeconds, durability: description.durability,
            hidesValues: model.entities.contains { $0.attributes.contains(where: \.isConfidential) }
        )
    }

    /// - Parameters:
    ///   - file: The claim on the file.
    ///   - isNew: Whether the file was just created, and is removed if opening fails.
    private func openExisting(
        _ file: OpenStoreFile, isNew: Bool
    ) throws(StoreError) -> SQLiteStore {
        let options = options(file)
        let counters = StoreCounters()
        let connection = try options.openReading(counters: counters).connection
        do throws(StoreError) {
            return try open(connection, options, counters, isNew: isNew)
        } catch {
            // Pages of two states look like damage. After a lock failure, do not check again.
            if error.code != .storeBusy { try connection.unwritten?.check() }
            throw error
        }
    }

    private func open(
        _ connection: Connection, _ options: ConnectionOptions, _ counters: StoreCounters,
        isNew: Bool
    ) throws(StoreError) -> SQLiteStore {
        let check = SchemaCheck(connection: connection, model: model)
        let isEmpty = try check.isEmpty()
        if !isEmpty { try check.checkForeignObjects(isReadOnly: description.isReadOnly) }
        if description.isReadOnly, isEmpty { throw check.foreign("it has no tables") }
        var lock: StoreFileLock?
        if !description.isReadOnly {
            Diagnostics.checkEngine()
            if isEmpty { lock = try makeTables(connection, options, check, isNew: isNew) }
        }
        // Read before the comparison, to detect a concurrent change of the model.
        let migrations = MigrationTable(connection: connection)
        let lastMigration = try migrations.lastChange()
        do throws(StoreError) {
            return try open(connection, lock, check, lastMigration, options, counters)
        } catch {
            throw migrations.cause(of: error, since: lastMigration)
        }
    }

    /// Opens a file that has tables.
    private func open(
        _ connection: Connection, _ lock: StoreFileLock?, _ check: SchemaCheck,
        _ lastMigration: Int64, _ options: ConnectionOptions, _ counters: StoreCounters
    ) throws(StoreError) -> SQLiteStore {
        var lock = lock
        let schema = try check.schema()
        if !description.isReadOnly { try check.checkWritable(schema) }
        let uuid = try MetadataTable(connection: connection).read().uuid
        let registration = description.registration(of: uuid)
        try OpenStoreFile.addStore(registration, in: options.file.identity, path: path)
        do throws(StoreError) {
            // Created last, so that a failed opening leaves no file behind.
            if !description.isReadOnly, lock == nil { lock = try makeLock() }
            return try finish(
                connection, lock, check, schema, lastMigration, registration, options, counters)
        } catch {
            OpenStoreFile.removeStore(registration)
            throw error
        }
    }

    private func makeLock() throws(StoreError) -> StoreFileLock {
        try StoreFileLock(storePath: path, timeoutSeconds: description.boundedTimeoutSeconds)
    }

    /// Creates the tables of a new store, unless another process did so while this one waited.
    ///
    /// A store with tables can be opened while others write, without waiting.
    private func makeTables(
        _ connection: Connection, _ options: ConnectionOptions, _ check: SchemaCheck, isNew: Bool
    ) throws(StoreError) -> StoreFileLock {
        let hadLock = FileIdentity(path: path + ".lock") != nil
        let lock = try makeLock()
        try lock.withLock { () throws(StoreError) in
            // Another process may have failed to create the store, and removed the file.
            if FileIdentity(path: path) != options.file.identity {
                throw StoreError(
                    .storeMissing, "'\(path)' went away while it was being opened; open it again.")
            }
            guard try check.isEmpty() else { return }
            do throws(StoreError) { try create(connection, options) } catch {
                // Processes that wait for the lock will find that the file is missing.
                if isNew {
                    for suffix in ["-wal", "-shm", "-journal", ""] + (hadLock ? [] : [".lock"]) {
                        _ = SystemCalls.removeFile(path + suffix)
                    }
                }
                throw error
            }
        }
        return lock
    }

    private func create(
        _ connection: Connection, _ options: ConnectionOptions
    ) throws(StoreError) {
        // Both must be set before the first table.
        try connection.execute("PRAGMA page_size=4096")
        // As in Core Data's files. The map of pages costs about 90 ns per insert.
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        try connection.execute("PRAGMA encoding='UTF-8'")
        try connection.execute("PRAGMA journal_mode=WAL")
        try options.configure(connection, cacheKibibytes: 2_000)
        let uuid = UUID()
        let schema = AppleSchema(
            model: model, store: StoreHandle(uuid: uuid),
            numbers: AppleNaming.entityNumbers(of: model))
        try connection.transaction { () throws(StoreError) in
            for statement in SchemaStatements.creation(of: schema) {
                try connection.execute(statement)
            }
            for entity in model.entities {
                let statement = try connection.prepare(
                    "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
                statement.bind(schema.number(of: entity.id), at: 1)
                statement.bind(.text(StoredText(entity.name)), at: 2)
                statement.bind(entity.superentity.map { schema.number(of: $0) } ?? 0, at: 3)
                try connection.run(statement, "create")
            }
            try MetadataTable(connection: connection).create(
                uuid: uuid, model: model, description.appleVersionHashes)
            try ModelTable(connection: connection).keep(model)
            try ModelCacheTable(connection: connection).keep(model)
        }
    }

    private func finish(
        _ connection: Connection, _ lock: StoreFileLock?, _ check: SchemaCheck,
        _ schema: AppleSchema, _ lastMigration: Int64, _ registration: UUID,
        _ options: ConnectionOptions,
        _ counters: StoreCounters
    ) throws(StoreError) -> SQLiteStore {
        try options.configure(connection, cacheKibibytes: 12_288)
        var hasOwnTables = try check.hasOwnTables()
        /// Calls `body` while nobody can change the model, and if nobody has changed it since the
        /// opening began.
        func write(
            _ lock: StoreFileLock, _ body: () throws(StoreError) -> Void
        ) throws(StoreError) {
            try lock.withLock { () throws(StoreError) in
                if try MigrationTable(connection: connection).lastChange() != lastMigration {
                    throw StoreError.storeMigrated(path)
                }
                try body()
            }
        }
        if let lock {
            if !hasOwnTables {
                try write(lock) { () throws(StoreError) in try adopt(connection, schema) }
                hasOwnTables = true
            } else if try MetadataTable(connection: connection).formatVersion()
                != MetadataTable.formatVersion
            {
                try write(lock) { () throws(StoreError) in
                    try MetadataTable(connection: connection).raiseFormat(model)
                }
            }
            if try needsModel(connection) {
                try write(lock) { () throws(StoreError) in try keepModel(connection) }
            }
            // A user with the lock may be making a copy. Then the next opening deletes leftovers.
            if AdoptedMigration.hasLeftovers(path), (try? lock.acquire(withinSeconds: 0)) != nil {
                AdoptedMigration.clear(path)
                lock.release()
            }
            // A Core Data file with a rollback journal is changed to a log here.
            try connection.execute("PRAGMA journal_mode=WAL")
        }
        let indexCheck = IndexCheck(connection: connection, schema: schema)
        let findings = try indexCheck.findings()
        if let lock, !findings.repairs.isEmpty {
            // Check again, now that nobody else writes.
            try write(lock) { () throws(StoreError) in
                try connection.transaction(try indexCheck.findings().repairs)
            }
        }
        try ChecksumFunctions.register(on: connection)
        let checksumTable = ChecksumTable(connection: connection)
        var checksums = try checksumTable.checksums(of: schema)
        if let lock, ChecksumTable.mustChange(checksums, description.rowChecksums) {
            // Another process may have been faster; then only what is left is computed.
            try write(lock) { () throws(StoreError) in
                try connection.transaction { () throws(StoreError) in
                    try checksumTable.change(description.rowChecksums, schema)
                }
            }
            checksums = try checksumTable.checksums(of: schema)
        }
        let core = StoreCore(
            schema: schema, lastMigration: lastMigration, counters: counters,
            place: StorePlace(path: path, file: options.file.identity, watchesLog: lock != nil),
            hasOwnTables: hasOwnTables, checksums: checksums, description)
        var writer: StoreWriter?
        var indexes: IndexKeeper?
        if let lock {
            let made = try StoreWriter(connection: connection, core: core, lock: lock)
            writer = made
            indexes = IndexKeeper(core: core, writer: made, missing: findings.missingToOnes)
        }
        try connection.unwritten?.check()
        return SQLiteStore(
            registration: registration, core: core,
            readers: ReaderPool(
                core: core, options: options, indexes: indexes,
                cache: ReadCache(bytes: description.readCacheBytes)),
            writer: writer, indexes: indexes)
    }

    /// Whether the store must save the model that it is opened with. Core Data may have left its
    /// own model.
    private func needsModel(_ connection: Connection) throws(StoreError) -> Bool {
        if try ModelTable(connection: connection).isCurrent(model),
            try !MetadataTable(connection: connection).lacks(description.appleVersionHashes)
        {
            return false
        }
        return try KeptModel(connection: connection).needsArchive()
    }

    private func keepModel(_ connection: Connection) throws(StoreError) {
        let metadata = MetadataTable(connection: connection)
        try connection.transaction { () throws(StoreError) in
            try ModelTable(connection: connection).keep(model)
            if try metadata.isAdopted() { return }
            try ModelCacheTable(connection: connection).keep(model)
            try metadata.noteIdentifiers(of: model, description.appleVersionHashes)
        }
    }

    /// Adds Duramen's tables to a Core Data file.
    private func adopt(_ connection: Connection, _ schema: AppleSchema) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            for statement in SchemaStatements.ownTables { try connection.execute(statement) }
            // Saves are numbered above every version, so that no row gets a version twice.
            var highest: Int64 = 0
            for table in schema.tables {
                let version = try connection.integer("SELECT MAX(Z_OPT) FROM \(table.quoted)")
                highest = max(highest, version ?? 0)
            }
            if try connection.integer("SELECT 1 FROM DURAMEN_SAVE LIMIT 1") == nil, highest > 0 {
                try connection.execute("INSERT INTO DURAMEN_SAVE (Z_PK) VALUES (\(highest))")
            }
            try MetadataTable(connection: connection).adopt(model: schema.model)
        }
    }
}
