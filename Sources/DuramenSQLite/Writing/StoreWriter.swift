import CSQLite
import DuramenModel
import DuramenQuery
import DuramenStore

/// The one connection of a store that writes.
// Sound: everything but `mutex` is used with `mutex` held only.
final class StoreWriter: @unchecked Sendable {
    private let core: StoreCore
    private let mutex = Locked<Void>(())
    private let lock: StoreFileLock
    private var state: State
    private var leases: [KeyLease]
    private let checker: ChangeCheck
    /// Why nothing can be written any more; nil while all is well.
    private var failure: StoreError?

    private struct State {
        var source: RowSource?
        var writer: ChangeWriter?
        var begin: Statement?
        var commit: Statement?
    }

    /// After as many pages a log is written back into the file.
    private static let checkpointPages: Int32 = 1_000
    private var nextCheckpoint = StoreWriter.checkpointPages
    // Written by the engine during a commit on this connection, so under the same lock.
    private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    init(connection: Connection, core: StoreCore, lock: StoreFileLock) throws(StoreError) {
        self.core = core
        self.lock = lock
        let source = RowSource(connection: connection, core: core)
        state = State(
            source: source, writer: try ChangeWriter(source: source),
            begin: try connection.prepare("BEGIN IMMEDIATE"),
            commit: try connection.prepare("COMMIT"))
        checker = ChangeCheck(schema: core.schema)
        leases = core.schema.tables.map { _ in KeyLease() }
        logPages.initialize(to: 0)
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    deinit {
        state = State()
        logPages.deallocate()
    }

    // MARK: - Transactions

    /// Runs `body` with the connection, alone among all threads and all processes.
    private func withWriter<R: Sendable>(
        _ body: (RowSource, ChangeWriter) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try mutex.withLock { (_) throws(StoreError) -> R in
            try core.checkOpen()
            guard let source = state.source, let writer = state.writer else {
                throw StoreError(.closed, "The store '\(core.path)' was closed; open it again.")
            }
            if let failure { throw failure }
            if source.connection.hasMoved { throw core.moved }
            return try lock.withLock { () throws(StoreError) -> R in
                let result = try body(source, writer)
                checkpointIfDue(source.connection)
                return result
            }
        }
    }

    private func begin(_ source: RowSource) throws(StoreError) {
        guard let begin = state.begin else { return }
        source.transactionDidChange()
        try source.connection.run(begin, "write to")
    }

    private func rollBack(_ source: RowSource) {
        guard source.connection.isInTransaction else { return }
        try? source.connection.execute("ROLLBACK")
    }

    /// Commits; when the engine fails half way, nobody knows whether the log holds the commit.
    private func commit(_ source: RowSource) throws(StoreError) {
        guard let commit = state.commit else { return }
        do throws(StoreError) {
            try source.connection.run(commit, "save to")
        } catch {
            let wasDecided = !source.connection.isInTransaction
            rollBack(source)
            // The record of a commit is written last, so without room for it there is no commit.
            if error.code == .diskFull || (error.code == .storeBusy && !wasDecided) { throw error }
            // Linux may report a failed fsync once and then success for pages that are lost.
            let unknown = StoreError(
                .unknownOutcome,
                "The commit to '\(core.path)' failed half way; open the store again and look for the "
                    + "save's identifier.", detail: error.description)
            failure = unknown
            throw unknown
        }
    }

    /// Runs `body` in a transaction that is rolled back when it throws.
    private func transaction<R>(
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

    // MARK: - Saving

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try check(changes)
        let order = ChangeOrder(changes, schema: core.schema)
        return try withWriter { (source, writer) throws(StoreError) in
            do throws(StoreError) {
                for clearsUnique in [false, true] {
                    try begin(source)
                    let number = try writer.beginSave(changes)
                    do throws(WriteStop) {
                        try writer.write(
                            changes, order: order, number: number, clearsUnique: clearsUnique)
                    } catch {
                        rollBack(source)
                        if case .failure(let error) = error { throw error }
                        if case .uniqueness = error, !clearsUnique { continue }
                        return try conflicted(changes, source)
                    }
                    return try finish(changes, number, source)
                }
                return try conflicted(changes, source)
            } catch {
                rollBack(source)
                throw error
            }
        }
    }

    /// What the engine does not judge: decimals, metadata, cancellation. Then the commit.
    private func finish(
        _ changes: ChangeSet, _ number: Int64, _ source: RowSource
    ) throws(StoreError) -> SaveOutcome {
        if hasDecimalConstraints {
            let conflicts = try ConflictCollector(changes: changes, source: source)
                .decimalConflicts()
            if !conflicts.isEmpty {
                rollBack(source)
                return try conflicted(changes, source)
            }
        }
        if !changes.metadata.isEmpty {
            try MetadataTable(connection: source.connection).merge(changes.metadata)
        }
        try raiseLastKeys(changes, source.connection)
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            rollBack(source)
            throw Cancellation.error
        }
        try commit(source)
        let version = RowVersion(rawValue: number)
        return .saved(
            SaveReceipt(
                generation: StoreGeneration(rawValue: number),
                insertedVersions: Array(repeating: version, count: changes.inserts.count),
                updatedVersions: changes.updates.map {
                    RowVersion(rawValue: max(number, $0.baseVersion.rawValue + 1))
                }))
    }

    private lazy var hasDecimalConstraints: Bool = core.schema.model.entities.contains { entity in
        entity.uniquenessConstraints.contains { constraint in
            constraint.slots.contains { entity.layout.kinds[$0] == .decimal }
        }
    }

    private func conflicted(
        _ changes: ChangeSet, _ source: RowSource
    ) throws(StoreError) -> SaveOutcome {
        try begin(source)
        defer { rollBack(source) }
        return .conflicted(try ConflictCollector(changes: changes, source: source).conflicts())
    }

    private func check(_ changes: ChangeSet) throws(StoreError) {
        try checker.check(changes)
    }

    // MARK: - Keys

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard core.schema.model.entities.indices.contains(entity.index), count >= 0 else {
            throw StoreError(.invalidRequest, "The entity is not in the store's model.")
        }
        let table = core.schema.tableIndexes[entity.index]
        let ready = try mutex.withLock { (_) throws(StoreError) -> Range<Int64>? in
            try core.checkOpen()
            return leases[table].take(count)
        }
        if let ready { return ready }
        return try withWriter { (source, _) throws(StoreError) in
            if let range = leases[table].take(count) { return range }
            let size = leases[table].nextSize(count)
            let range = try transaction(source) { () throws(StoreError) in
                try lease(size, table, source.connection)
            }
            leases[table].add(range)
            guard let result = leases[table].take(count) else {
                throw StoreError(.io, "No keys could be leased from '\(core.path)'.")
            }
            return result
        }
    }

    private func lease(
        _ count: Int, _ table: Int, _ connection: Connection
    ) throws(StoreError) -> Range<Int64> {
        let map = core.schema.tables[table]
        let given =
            try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(map.rootNumber)") ?? 0
        // Files occur whose Z_MAX lags behind the rows.
        let used = try connection.integer("SELECT MAX(Z_PK) FROM \(map.quoted)") ?? 0
        let last = max(given, used, 0)
        let (end, overflows) = last.addingReportingOverflow(Int64(count))
        if overflows {
            throw StoreError(.tooLarge, "The keys of a table of '\(core.path)' are used up.")
        }
        try connection.execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(end) WHERE Z_ENT = \(map.rootNumber)")
        return (last + 1)..<(end + 1)
    }

    /// Keeps Z_MAX above keys that were not leased here, as for rows brought over from elsewhere.
    private func raiseLastKeys(
        _ changes: ChangeSet, _ connection: Connection
    ) throws(StoreError) {
        let ends = leases.map(\.end)
        var highest = ends
        checker.raise(&highest, changes.inserts)
        for (table, next) in highest.enumerated() where next > ends[table] {
            let key = next - 1
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), \(key)) "
                    + "WHERE Z_ENT = \(core.schema.tables[table].rootNumber)")
        }
    }

    // MARK: - Housekeeping

    private func checkpointIfDue(_ connection: Connection) {
        let pages = logPages.pointee
        // The engine began the log anew.
        if pages < Self.checkpointPages { nextCheckpoint = Self.checkpointPages }
        guard pages >= nextCheckpoint, !connection.isInTransaction else { return }
        // A reader may keep the log from beginning anew; the next attempt then waits as long again.
        nextCheckpoint = pages + Self.checkpointPages
        // Under the cross-process lock; what a reader still needs stays in the log.
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Makes indexes for a snapshot that is about to need them, unless somebody is in the way.
    ///
    /// When nothing was saved since, the snapshot begins anew on the same state, now with the indexes.
    /// - Returns: Whether they were made.
    func makeIndexes(
        _ statements: [String], for snapshot: SQLiteSnapshot, withinSeconds: Double
    ) -> Bool {
        mutex.withLockIfAvailable { _ -> Bool in
            guard let source = state.source, failure == nil, !source.connection.hasMoved,
                (try? lock.acquire(withinSeconds: withinSeconds)) != nil
            else { return false }
            defer { lock.release() }
            let connection = source.connection
            let version = connection.foreignCommits
            do throws(StoreError) {
                try connection.withPatience(seconds: withinSeconds) { () throws(StoreError) in
                    try connection.transaction(statements)
                    // Nobody commits from here to the end, so the newest state stays the same.
                    try connection.holdingWriteLock {
                        guard connection.foreignCommits == version,
                            snapshot.reader.isNewest(snapshot.generation, on: connection)
                        else { return }
                        snapshot.reader.beginAnew()
                    }
                }
            } catch {
                return false
            }
            checkpointIfDue(connection)
            return true
        } ?? false
    }

    func maintain(_ indexes: [String]) throws(StoreError) {
        try withWriter { (source, _) throws(StoreError) in
            if !indexes.isEmpty { try source.connection.transaction(indexes) }
            let result = sqlite3_wal_checkpoint_v2(
                source.connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            if result != SQLITE_OK, result & 0xFF != SQLITE_BUSY {
                throw source.connection.error(result, "maintain")
            }
            try source.connection.execute("PRAGMA incremental_vacuum")
        }
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try withWriter { (source, _) throws(StoreError) in
            try transaction(source) { () throws(StoreError) in
                try MetadataTable(connection: source.connection).replaceUserInfo(userInfo)
            }
        }
    }

    /// Gives the connection back. The engine writes the log into the file if nobody else is there.
    func close(making indexes: [String]) {
        mutex.withLock { _ in
            // Without the lock the log stays as it is, which is safe too.
            let isLocked = (try? lock.acquire()) != nil
            if isLocked, failure == nil, !indexes.isEmpty, let source = state.source,
                !source.connection.hasMoved
            {
                // Whoever opens the store next makes them otherwise.
                try? source.connection.transaction(indexes)
            }
            state = State()
            if isLocked { lock.release() }
        }
    }
}
