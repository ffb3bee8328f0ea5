import DuramenModel
import DuramenQuery
import DuramenStore
import Synchronization

/// Everything that writes to a store, one at a time among all threads and processes.
// Sound: `state` and `lock` are used with the mutex held only; the rest does not change after `serve`.
final class StoreWriter: @unchecked Sendable {
    private let schema: StoreSchema
    private let environment: Environment
    private let folder: StoreFolder
    private let lock: StoreFileLock
    private let durability: Durability
    private let timeoutSeconds: Double
    private let check: ChangeCheck
    private let mutex = Locked<Void>(())
    private weak var pool: SnapshotPool?

    // Used with `mutex` held.
    private var use: EnvironmentUse?
    private var leases: [KeyLease]
    private var indexList: [UInt8] = []
    private var indexNumbers: [UInt32?] = []
    private var saveCount = 0

    init(
        schema: StoreSchema, use: EnvironmentUse, lock: StoreFileLock, folder: StoreFolder,
        _ description: PersistentStoreDescription
    ) {
        self.schema = schema
        self.use = use
        environment = use.environment
        self.lock = lock
        self.folder = folder
        durability = description.durability
        timeoutSeconds = description.boundedTimeoutSeconds
        check = ChangeCheck(model: schema.model, store: schema.handle)
        leases = schema.model.entities.map { _ in KeyLease() }
    }

    /// Names the pool whose forgotten snapshots are ended. Called once, before the store is used.
    func serve(_ pool: SnapshotPool) { self.pool = pool }

    static var cancelled: StoreError {
        StoreError(.cancelled, "The save was cancelled; nothing was written.")
    }

    // MARK: - Transactions

    /// Runs `body` alone among all threads and all processes.
    private func alone<R: Sendable>(
        _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try mutex.withLock { (_) throws(StoreError) -> R in
            try schema.checkOpen()
            try environment.checkWritable()
            return try lock.withLock { () throws(StoreError) in
                // Nobody but a stranger moves files while the lock is held.
                guard environment.isStill(in: folder) else { throw moved }
                return try body()
            }
        }
    }

    private var moved: StoreError {
        StoreError(
            .storeFileMoved,
            "'\(folder.path)' was moved, replaced or deleted while it was open; close the store and open "
                + "it again.")
    }

    /// Runs `body` in a transaction that is rolled back when it throws or gives nil.
    private func transaction<R>(
        _ body: (Transaction) throws(StoreError) -> R?
    ) throws(StoreError) -> R? {
        try Transaction.run(
            environment, durability: durability, timeoutSeconds: timeoutSeconds,
            commit: { (transaction) throws(StoreError) in try commit(transaction) },
            { (transaction) throws(StoreError) -> R? in
                do throws(StoreError) {
                    return try body(transaction)
                } catch {
                    // What was read of the list of indexes has not come to stay.
                    indexList = []
                    throw error
                }
            })
    }

    /// Commits. The engine writes the page that names the new state last, so most failures leave nothing.
    private func commit(_ transaction: Transaction) throws(StoreError) {
        let result = transaction.commit()
        if result == 0 { return }
        let error = transaction.commitError(result, "save to")
        if transaction.needsMap { throw error }
        // The engine refuses to go on once it does not know what that last page holds.
        let next: Transaction?
        do throws(StoreError) {
            next = try Transaction.writing(environment, durability: durability, timeoutSeconds: 0)
        } catch {
            next = nil
        }
        guard let next else {
            environment.fail(
                StoreError(
                    .io,
                    "An earlier commit to '\(schema.path)' failed half way; nothing more is written until "
                        + "the store is closed everywhere in this process and opened again.",
                    detail: error.description))
            throw StoreError(
                .unknownOutcome,
                "The commit to '\(schema.path)' failed half way; open the store again and look for the "
                    + "save's identifier.", detail: error.description)
        }
        next.abort()
        if error.code == .diskFull { throw error }
        // Linux may report a failed fsync once and then success for pages that are lost.
        environment.fail(error)
        throw error
    }

    /// The number of each index in this transaction; another process may have made or dropped some.
    private func numbers(_ transaction: Transaction) throws(StoreError) -> [UInt32?] {
        let meta = MetaTable(transaction: transaction, table: schema.meta)
        let bytes = try meta.indexListBytes() ?? UnsafeRawBufferPointer(start: nil, count: 0)
        if !indexList.isEmpty, bytes.elementsEqual(indexList) { return indexNumbers }
        indexNumbers = try IndexUpkeep(schema: schema, transaction: transaction).reconcile()
        indexList = Array(try meta.indexListBytes() ?? UnsafeRawBufferPointer(start: nil, count: 0))
        return indexNumbers
    }

    // MARK: - Saving

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try check.check(changes)
        schema.counters.noteStatement()
        return try alone { () throws(StoreError) in
            let saved = try transaction { (transaction) throws(StoreError) in
                try write(changes, transaction)
            }
            if let saved {
                tidyUp()
                return .saved(saved)
            }
            let conflicts = try conflicts(changes)
            return .conflicted(conflicts)
        }
    }

    /// Writes all but the commit; nil when there are conflicts.
    private func write(
        _ changes: ChangeSet, _ transaction: Transaction
    ) throws(StoreError) -> SaveReceipt? {
        let meta = MetaTable(transaction: transaction, table: schema.meta)
        let number = try meta.generation() + 1
        let version = RowVersion(rawValue: number)
        var writer = ChangeWriter(
            schema: schema, transaction: transaction, numbers: try numbers(transaction),
            version: version)
        do throws(ChangeWriter.Stop) {
            try writer.write(changes)
        } catch {
            switch error {
            case .conflict: return nil
            case .failure(let error): throw error
            }
        }
        if !changes.metadata.isEmpty { try meta.merge(changes.metadata) }
        try raiseNextKeys(changes.inserts, meta)
        try meta.setGeneration(number)
        try SaveLog(transaction: transaction, table: schema.saves)
            .add(changes.identifier, number: number)
        if let cancellation = changes.cancellation, cancellation.isCancelled {
            throw Self.cancelled
        }
        return SaveReceipt(
            generation: StoreGeneration(rawValue: number),
            insertedVersions: Array(repeating: version, count: changes.inserts.count),
            updatedVersions: Array(repeating: version, count: changes.updates.count))
    }

    private func conflicts(_ changes: ChangeSet) throws(StoreError) -> [StoreConflict] {
        var found: [StoreConflict] = []
        // A transaction that writes sees the state that nobody changes meanwhile; it is given up.
        _ = try transaction { (transaction) throws(StoreError) -> Void? in
            let rows = RowReading(schema: schema, transaction: transaction)
            let holders = UniqueHolders(rows: rows, numbers: try numbers(transaction))
            found = try ConflictSearch(changes, model: schema.model, store: schema.handle)
                .conflicts(
                    rows: { (ids) throws(StoreError) in try rows.batch(of: ids) },
                    holders: { (row, constraint) throws(StoreError) in
                        try holders.rows(like: row, constraint)
                    })
            return nil
        }
        return found
    }

    // MARK: - Keys

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard schema.model.entities.indices.contains(entity.index), count >= 0 else {
            throw StoreError(
                .invalidRequest,
                "Keys are allocated for an entity of the model, zero or more at once.")
        }
        let root = schema.model[entity].root.index
        let ready = try mutex.withLock { (_) throws(StoreError) -> Range<Int64>? in
            try schema.checkOpen()
            return leases[root].take(count)
        }
        if let ready { return ready }
        return try alone { () throws(StoreError) in
            if let range = leases[root].take(count) { return range }
            let size = leases[root].nextSize(count)
            let range = try transaction { (transaction) throws(StoreError) in
                try lease(size, root, MetaTable(transaction: transaction, table: schema.meta))
            }
            if let range { leases[root].add(range) }
            guard let result = leases[root].take(count) else {
                throw StoreError(.io, "No keys could be leased from '\(schema.path)'.")
            }
            return result
        }
    }

    private func lease(
        _ count: Int, _ root: Int, _ meta: MetaTable
    ) throws(StoreError) -> Range<Int64> {
        let first = try meta.nextKey(root: schema.rootNumbers[root])
        let (end, overflows) = first.addingReportingOverflow(Int64(count))
        if overflows {
            throw StoreError(.tooLarge, "The keys of a table of '\(schema.path)' are used up.")
        }
        try meta.setNextKey(end, root: schema.rootNumbers[root])
        return first..<end
    }

    /// Keeps keys that were not leased here, as of rows brought over from elsewhere, from being handed out.
    private func raiseNextKeys(_ inserts: [Row], _ meta: MetaTable) throws(StoreError) {
        var highest: [Int: Int64] = [:]
        for row in inserts {
            let root = schema.roots[row.entityID.index]
            if row.key >= leases[root].end { highest[root] = max(highest[root] ?? 0, row.key) }
        }
        for (root, key) in highest {
            let number = schema.rootNumbers[root]
            let next = key == .max ? key : key + 1
            if try meta.nextKey(root: number) < next { try meta.setNextKey(next, root: number) }
        }
    }

    // MARK: - Housekeeping

    /// Now and then, looks for readers that died or were forgotten, which keep the file growing.
    private func tidyUp() {
        saveCount += 1
        guard saveCount & 15 == 0 else { return }
        environment.removeDeadReaders()
        pool?.endForgottenSnapshots(toleratedGrowthBytes: SnapshotPool.toleratedGrowthBytes)
    }

    func maintain() throws(StoreError) -> MaintenanceReport {
        try alone { () throws(StoreError) in
            environment.removeDeadReaders()
            let ended = pool?.endForgottenSnapshots(toleratedGrowthBytes: 0) ?? 0
            let all = schema.indexes.indices.filter { schema.indexes[$0].isMadeWhenNeeded }
            _ = try transaction { (transaction) throws(StoreError) -> Bool? in
                indexList = []
                try IndexUpkeep(schema: schema, transaction: transaction).make(all)
                return true
            }
            try environment.synchronize()
            environment.compactAtEnd()
            return MaintenanceReport(endedSnapshots: ended)
        }
    }

    /// Makes indexes for a snapshot that is about to need them, unless somebody is in the way.
    ///
    /// When nothing was saved since, the snapshot begins anew on the same state, now with the indexes.
    /// - Returns: Whether they are made.
    func makeIndexes(
        _ places: [Int], for snapshot: LMDBSnapshot, withinSeconds: Double
    ) -> Bool {
        mutex.withLockIfAvailable { _ -> Bool in
            guard (try? schema.checkOpen()) != nil, !environment.hasFailed,
                environment.isStill(in: folder),
                (try? lock.acquire(withinSeconds: withinSeconds)) != nil
            else { return false }
            defer { lock.release() }
            var isSameState = false
            do throws(StoreError) {
                _ = try transaction { (transaction) throws(StoreError) -> Bool? in
                    let meta = MetaTable(transaction: transaction, table: schema.meta)
                    isSameState = try meta.generation() == snapshot.generation.rawValue
                    indexList = []
                    try IndexUpkeep(schema: schema, transaction: transaction).make(places)
                    return true
                }
            } catch {
                return false
            }
            if isSameState { snapshot.beginAnew() }
            return true
        } ?? false
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        try alone { () throws(StoreError) in
            _ = try transaction { (transaction) throws(StoreError) -> Bool? in
                try MetaTable(transaction: transaction, table: schema.meta)
                    .replaceUserInfo(userInfo)
                return true
            }
        }
    }

    /// Waits for what is under way, and lets go of the environment.
    func close() { mutex.withLock { _ in use = nil } }
}

/// Finds the stored rows that have unique values.
struct UniqueHolders {
    let rows: RowReading
    let numbers: [UInt32?]

    /// The rows of a constraint's entities with the same values as a row, itself included when it is stored.
    func rows(
        like row: Row, _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [Row] {
        let schema = rows.schema
        let found = schema.indexes.indices.first { place in
            if case .uniqueness(let other) = schema.indexes[place].purpose {
                other == constraint
            } else {
                false
            }
        }
        guard let place = found, let number = numbers[place] else { return [] }
        let index = schema.indexes[place]
        var key = KeyBuilder()
        key.build(index, number: number, of: row)
        let keys = try rows.keys(
            behind: UnsafeRawBufferPointer(rebasing: key.bytes.dropLast(8)), in: schema.index)
        var result: [Row] = []
        for key in keys {
            guard let other = try rows.row(key, in: constraint.entity),
                index.parts.allSatisfy({ row.hasSameValue($0.slot, $0.kind, as: other) })
            else { continue }
            result.append(other)
        }
        return result
    }
}
