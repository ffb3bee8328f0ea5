import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// The only writing connection of a store, and its transactions.
///
/// Saves, keys and housekeeping are in extensions.
// Sound: everything but `mutex` and what never changes is used with `mutex` held only.
final class StoreWriter: @unchecked Sendable {
    let core: StoreCore
    let check: ChangeCheck
    let hasDecimalConstraints: Bool
    var leases: [KeyLease]
    private let mutex = Locked<Void>(())
    private let lock: StoreFileLock
    /// Nil once the store is closed.
    private var open: Open?
    /// The reason why nothing can be written any more; nil without one.
    private var failure: StoreError?

    /// The connection with everything that belongs to it.
    final class Open {
        let source: RowSource
        let writer: ChangeWriter
        let begin: Statement
        let commit: Statement
        let checkpoints: LogCheckpoints
        /// Writes checksums; nil for a file without.
        let checksums: ChecksumWriter?

        init(connection: Connection, core: StoreCore) throws(StoreError) {
            // Batches have conditions.
            try FoldingFunction.register(on: connection)
            try ContainmentFunction.register(on: connection)
            try CallFunction.register(on: connection)
            source = RowSource(connection: connection, core: core)
            writer = try ChangeWriter(source: source)
            begin = try connection.prepare("BEGIN IMMEDIATE")
            commit = try connection.prepare("COMMIT")
            checkpoints = LogCheckpoints(connection: connection, core: core)
            checksums = try core.checksums.map { (checksums) throws(StoreError) in
                try ChecksumWriter(connection, checksums)
            }
        }
    }

    init(connection: Connection, core: StoreCore, lock: StoreFileLock) throws(StoreError) {
        self.core = core
        self.lock = lock
        open = try Open(connection: connection, core: core)
        check = ChangeCheck(model: core.schema.model, store: core.schema.store)
        leases = core.schema.tables.map { _ in KeyLease() }
        hasDecimalConstraints = core.schema.model.entities.contains { entity in
            entity.uniquenessConstraints.contains { constraint in
                constraint.slots.contains { entity.layout.kinds[$0] == .decimal }
            }
        }
    }

    // MARK: - Transactions

    /// Calls `body` with exclusive use of the connection, among all threads and processes.
    func withWriter<R: Sendable>(
        _ body: (RowSource, ChangeWriter) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try mutex.withLock { (_) throws(StoreError) -> R in
            try core.checkUsable()
            guard let open else { throw core.closed }
            if let failure { throw failure }
            try lock.acquire()
            defer { lock.release() }
            try checkPlace(open)
            core.hadTrouble.store(true, ordering: .relaxed)
            let result: R
            do throws(StoreError) {
                result = try body(open.source, open.writer)
            } catch {
                // Missing tables look like a failure of the engine.
                let migrations = MigrationTable(connection: open.source.connection)
                throw migrations.cause(of: error, since: core.lastMigration)
            }
            core.hadTrouble.store(false, ordering: .relaxed)
            open.checkpoints.runIfDue()
            return result
        }
    }

    /// Does optional work with the connection; returns nil when another user writes or the time is
    /// up.
    func withWriterIfAvailable<R: Sendable>(
        withinSeconds: Double, _ body: (RowSource) -> R?
    ) -> R? {
        mutex.withLockIfAvailable { _ -> R? in
            guard let open, failure == nil, (try? core.checkUsable()) != nil,
                (try? lock.acquire(withinSeconds: withinSeconds)) != nil
            else { return nil }
            defer { lock.release() }
            guard core.place.movedFile == nil else { return nil }
            let result = body(open.source)
            open.checkpoints.runIfDue()
            return result
        } ?? nil
    }

    /// Throws if the file or its log was moved, replaced or deleted.
    private func checkPlace(_ open: Open) throws(StoreError) {
        guard let moved = core.place.movedFile else { return }
        // Without a log at the path, nobody can have written to a new one. So the commits of the
        // old log can still be written into the file.
        if moved == .log, case .missing = SystemCalls.kind(of: core.path + "-wal") {
            open.checkpoints.run(SQLITE_CHECKPOINT_PASSIVE)
        }
        throw core.place.error(moved)
    }

    func begin(_ source: RowSource) throws(StoreError) {
        guard let open else { throw core.closed }
        source.transactionDidChange()
        try source.connection.run(open.begin, "write to")
        open.checkpoints.growIfDue()
    }

    func rollBack(_ source: RowSource) {
        // The engine may have rolled back already.
        open?.writer.forgetHistory()
        open?.checksums?.forget()
        guard source.connection.isInTransaction else { return }
        try? source.connection.execute("ROLLBACK")
    }

    /// Commits. If the engine fails halfway, it is unknown whether the log has the commit.
    func commit(_ source: RowSource) throws(StoreError) {
        guard let open else { throw core.closed }
        try open.checksums?.write()
        do throws(StoreError) {
            try source.connection.run(open.commit, "save to")
        } catch {
            let wasDecided = !source.connection.isInTransaction
            rollBack(source)
            if error.code == .storeBusy, !wasDecided { throw error }
            // The frame of a commit is written last, so without space for it there is none, except
            // by chance from older content of the log.
            if error.code == .diskFull, source.connection.cutRefusedCommit() { throw error }
            // Linux may report a failed fsync once and then success for lost pages.
            failure = StoreError(
                .io,
                "An earlier commit to '\(core.path)' failed half way; nothing more is written until "
                    + "the store is opened again.", detail: error.description)
            throw StoreError(
                .unknownOutcome,
                "The commit to '\(core.path)' failed half way; open the store again and look for the "
                    + "save's identifier.", detail: error.description)
        }
    }

    /// Calls `body` in a transaction that is rolled back when it throws.
    func transaction<R>(
        _ source: RowSource, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try begin(source)
        do throws(StoreError) {
            let result = try body()
            try commit(source)
            return result
        } catch {
            rollBack(source)
            throw error
        }
    }

    /// Returns keys that are leased already; nil if there are too few.
    func takeLeasedKeys(_ count: Int, _ table: Int) throws(StoreError) -> Range<Int64>? {
        try mutex.withLock { (_) throws(StoreError) -> Range<Int64>? in
            try core.checkUsable()
            return leases[table].take(count)
        }
    }

    /// The writer of checksums, for use within ``withWriter(_:)``; nil for a file without.
    var checksums: ChecksumWriter? { open?.checksums }

    /// The checkpoints, for use within ``withWriter(_:)``.
    var checkpoints: LogCheckpoints? { open?.checkpoints }

    // MARK: - Closing

    /// Closes the connection. The engine writes the log into the file if no other connection
    /// exists.
    ///
    /// - Parameter indexes: Statements that create missing indexes; nil when the file was migrated
    ///   to another model, so that nothing must be written.
    func close(making indexes: [String]?) {
        mutex.withLock { _ in
            // Without the lock the log is kept, which is safe too.
            let isLocked = (try? lock.acquire()) != nil
            let last = indexes.map { $0 + returnsOfKeys } ?? []
            let isWell = isLocked && failure == nil && !core.hadTrouble.load(ordering: .relaxed)
            if isWell, !last.isEmpty, let open, core.place.movedFile == nil {
                // Otherwise the next opening creates the indexes, and some keys are lost. So
                // closing does not wait for a lock.
                let connection = open.source.connection
                try? connection.withPatience(seconds: Self.lastPatience) { () throws(StoreError) in
                    try connection.transaction { () throws(StoreError) in
                        // Another process may have migrated the file meanwhile.
                        let table = MigrationTable(connection: connection)
                        if try table.lastChange() != core.lastMigration { return }
                        for statement in last { try connection.execute(statement) }
                    }
                }
            }
            open = nil
            if isLocked { lock.release() }
        }
    }

    private static let lastPatience = 0.2

    /// Statements that return unused leased keys, unless another process has leased keys meanwhile.
    private var returnsOfKeys: [String] {
        leases.indices.filter { leases[$0].next < leases[$0].end }.map { place in
            let (lease, table) = (leases[place], core.schema.tables[place])
            return
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(lease.next - 1) "
                + "WHERE Z_ENT = \(table.rootNumber) AND Z_MAX = \(lease.end - 1)"
        }
    }

    /// Returns a setting of the writing connection, such as `synchronous`.
    func setting(_ name: String) throws(StoreError) -> Int64? {
        try withWriter { (source, _) throws(StoreError) in
            try source.connection.integer("PRAGMA \(name)")
        }
    }
}
