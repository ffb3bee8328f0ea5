import CSQLite
import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// The one connection of a store that writes, and its transactions.
///
/// What is written in them is told in extensions: saves, keys, housekeeping.
// Sound: everything but `mutex` and what never changes is used with `mutex` held only.
final class StoreWriter: @unchecked Sendable {
    let core: StoreCore
    let check: ChangeCheck
    let hasDecimalConstraints: Bool
    var leases: [KeyLease]
    /// The tables that got rows under keys of their lease which nobody had taken from it.
    var hasForeignKeys: Set<Int> = []
    private let mutex = Locked<Void>(())
    private let lock: StoreFileLock
    /// Nil once the store is closed.
    private var open: Open?
    /// Why nothing can be written any more; nil while all is well.
    private var failure: StoreError?

    /// The connection with what belongs to it.
    final class Open {
        let source: RowSource
        let writer: ChangeWriter
        let begin: Statement
        let commit: Statement
        let checkpoints: LogCheckpoints

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

    /// Runs `body` with the connection, alone among all threads and all processes.
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
                // Tables that are gone look like a failure of the engine.
                let migrations = MigrationTable(connection: open.source.connection)
                throw migrations.cause(of: error, since: core.lastMigration)
            }
            core.hadTrouble.store(false, ordering: .relaxed)
            open.checkpoints.runIfDue()
            return result
        }
    }

    /// The same for work that can as well be left out, when somebody else writes or the time is up.
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

    /// Writes nothing beside a file that was moved, replaced or deleted, or beside such a log.
    private func checkPlace(_ open: Open) throws(StoreError) {
        guard let moved = core.place.movedFile else { return }
        // Nobody has a log at the path, so nobody can have written to it: the commits of the log
        // that went away can still be brought over into the file.
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
        // The engine may have rolled back by itself.
        open?.writer.forgetHistory()
        guard source.connection.isInTransaction else { return }
        try? source.connection.execute("ROLLBACK")
    }

    /// Commits; when the engine fails half way, nobody knows whether the log holds the commit.
    func commit(_ source: RowSource) throws(StoreError) {
        guard let open else { throw core.closed }
        do throws(StoreError) {
            try source.connection.run(open.commit, "save to")
        } catch {
            let wasDecided = !source.connection.isInTransaction
            rollBack(source)
            if error.code == .storeBusy, !wasDecided { throw error }
            // The frame of a commit is written last, so without room for it there is none, but for
            // what the log holds by chance.
            if error.code == .diskFull, source.connection.cutRefusedCommit() { throw error }
            // Linux may report a failed fsync once and then success for pages that are lost.
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

    /// Runs `body` in a transaction that is rolled back when it throws.
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

    /// Keys that are leased already; nil when there are too few.
    func takeLeasedKeys(_ count: Int, _ table: Int) throws(StoreError) -> Range<Int64>? {
        try mutex.withLock { (_) throws(StoreError) -> Range<Int64>? in
            try core.checkUsable()
            return leases[table].take(count)
        }
    }

    /// The checkpoints, for whoever runs within ``withWriter(_:)``.
    var checkpoints: LogCheckpoints? { open?.checkpoints }

    // MARK: - The end

    /// Gives the connection back. The engine writes the log into the file if nobody else is there.
    ///
    /// - Parameter indexes: Statements that make what is missing; nil when the file has become that
    ///   of another model, so that nothing is to be written.
    func close(making indexes: [String]?) {
        mutex.withLock { _ in
            // Without the lock the log stays as it is, which is safe too.
            let isLocked = (try? lock.acquire()) != nil
            let last = indexes.map { $0 + returnsOfKeys } ?? []
            let isWell = isLocked && failure == nil && !core.hadTrouble.load(ordering: .relaxed)
            if isWell, !last.isEmpty, let open, core.place.movedFile == nil {
                // Whoever opens the store next makes the indexes otherwise, and some keys are
                // nobody's. So nobody waits for a lock who wants to close.
                let connection = open.source.connection
                try? connection.withPatience(seconds: Self.lastPatience) { () throws(StoreError) in
                    try connection.transaction { () throws(StoreError) in
                        // Another process may have changed the model of the file meanwhile.
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

    /// Gives leased keys back that nobody got, unless somebody else leased some meanwhile.
    private var returnsOfKeys: [String] {
        leases.indices.filter { place in
            leases[place].next < leases[place].end && !hasForeignKeys.contains(place)
        }.map { place in
            let (lease, table) = (leases[place], core.schema.tables[place])
            return
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(lease.next - 1) "
                + "WHERE Z_ENT = \(table.rootNumber) AND Z_MAX = \(lease.end - 1)"
        }
    }

    /// What the engine says of a setting of the writing connection, such as `synchronous`.
    func setting(_ name: String) throws(StoreError) -> Int64? {
        try withWriter { (source, _) throws(StoreError) in
            try source.connection.integer("PRAGMA \(name)")
        }
    }
}
