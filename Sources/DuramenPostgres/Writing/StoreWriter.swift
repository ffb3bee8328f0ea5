import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import Synchronization

/// Saves change sets, and leases keys and stamps.
final class StoreWriter: Sendable {
    let core: StoreCore
    /// The connections for saves and look-ups.
    let connections: ConnectionPool
    /// The connection for leases. Batches and saves that wait for each other may have all others,
    /// and the one that the others wait for needs keys.
    let leasing: ConnectionPool
    let snapshots: SnapshotPool
    /// Whether a history is kept, as far as is known: each save makes sure of it.
    let keepsHistory: Atomic<Bool>
    /// The keys of each table that may be allocated; the stamps at the end.
    private let leases: Locked<[KeyLease]>
    /// The saves whose outcome is not known.
    private let unknown = Locked<Set<UUID>>([])
    /// Saves since the last trimming.
    private let saveCount = Atomic<Int>(0)

    /// How often a save that lost a race without a conflict is sent again.
    private static let mostAttempts = 6
    /// How many saves are remembered at least.
    static let rememberedSaves: Int64 = 2_048
    private static let savesPerTrim = 512

    init(
        core: StoreCore, connections: ConnectionPool, leasing: ConnectionPool,
        snapshots: SnapshotPool, keepsHistory: Bool
    ) {
        self.core = core
        self.leasing = leasing
        self.connections = connections
        self.snapshots = snapshots
        self.keepsHistory = Atomic(keepsHistory)
        leases = Locked(Array(repeating: KeyLease(), count: core.schema.tables.count + 1))
    }

    // MARK: - Keys

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        guard core.model.entities.indices.contains(entity.index), count >= 0 else {
            throw StoreError(.invalidRequest, "The entity is not in the store's model.")
        }
        return try allocate(count, place: core.schema.entities[entity.index].table)
    }

    /// A number that no other save has.
    func nextStamp() throws(StoreError) -> Int64 {
        try allocate(1, place: core.schema.tables.count).lowerBound
    }

    /// A number that is later than those of all rows, for a batch that has the gate alone.
    func batchStamp() throws(StoreError) -> Int64 {
        try lease(1, place: core.schema.tables.count).lowerBound
    }

    private func allocate(_ count: Int, place: Int) throws(StoreError) -> Range<Int64> {
        if let ready = leases.withLock({ $0[place].take(count) }) { return ready }
        let size = leases.withLock { $0[place].nextSize(count) }
        let range = try lease(size, place: place)
        let result = leases.withLock { leases in
            // Another thread may have leased meanwhile; keys of the older lease are lost.
            leases[place].add(range)
            return leases[place].take(count)
        }
        guard let result else {
            throw StoreError(.io, "No keys could be leased from '\(core.place)'.")
        }
        return result
    }

    /// Leases keys or stamps from the database, for good.
    private func lease(_ size: Int, place: Int) throws(StoreError) -> Range<Int64> {
        let root =
            place < core.schema.tables.count
            ? Int32(core.schema.number(of: core.schema.tables[place].root)) : 0
        var pipeline = Pipeline()
        pipeline.add(core.statements.saves.leaseKeys, [.integer(root), .bigint(Int64(size))])
        // A lost lease would be given out twice, so it is always on the disk: the statement is not
        // part of a save with another durability.
        let result = try run(pipeline, on: leasing)[0]
        guard let first = result.rowCount == 1 ? result.int64(0, 0) : nil else {
            throw core.damagedState
        }
        let (end, overflows) = first.addingReportingOverflow(Int64(size))
        if overflows {
            throw StoreError(.tooLarge, "The keys of a table of '\(core.place)' are used up.")
        }
        return first..<end
    }

    /// Adds statements that keep keys from being allocated which a conversion has brought along.
    func raiseKeys(_ rows: RowList, in pipeline: inout ChangePipeline) {
        if rows.isEmpty { return }
        var highest: [Int: Int64] = [:]
        for place in rows.indices {
            let table = core.schema.entities[rows.entityIndex(at: place)].table
            highest[table] = max(highest[table] ?? 0, rows.key(at: place))
        }
        for (table, key) in highest.sorted(by: { $0.key < $1.key }) where key < .max {
            let isLeased = leases.withLock { leases in
                leases[table].skip(through: key)
                return key < leases[table].end
            }
            // The next lease begins behind it already.
            if isLeased { continue }
            let root = Int32(core.schema.number(of: core.schema.tables[table].root))
            pipeline.add(
                core.statements.saves.raiseKeys, [.integer(root), .bigint(key + 1)], as: .other)
        }
    }

    // MARK: - Saving

    func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try core.check.check(changes)
        return try save(changes, isTransaction: true)
    }

    /// Writes change sets in as few transactions as may be.
    func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        var results: [Result<SaveOutcome, StoreError>] = []
        func saveAlone(_ changes: ChangeSet) -> Result<SaveOutcome, StoreError> {
            Result { () throws(StoreError) in try save(changes) }
        }
        while results.count < group.count {
            let rest = group[results.count...]
            var attempt = SaveGroup(self, rest)
            do throws(StoreError) {
                guard let first = try attempt.run() else { return results + rest.map(saveAlone) }
                results += first
                for case .success(.saved) in first { trimNowAndThen() }
            } catch {
                return results + rest.map { .failure(failure(of: $0, in: error)) }
            }
            if results.count < group.count { results.append(saveAlone(group[results.count])) }
        }
        return results
    }

    /// The error for a change set whose group could not be written.
    private func failure(of changes: ChangeSet, in error: StoreError) -> StoreError {
        if error.code != .unknownOutcome { return error }
        noteUnknown(changes.identifier)
        return core.unknownOutcome(of: changes.identifier)
    }

    /// - Parameters:
    ///   - changes: The change set, which was checked.
    ///   - isTransaction: Whether the history has it, if there is one.
    private func save(
        _ changes: ChangeSet, isTransaction: Bool
    ) throws(StoreError) -> SaveOutcome {
        let stamp = try nextStamp()
        let deadline = Deadline(seconds: core.settings.timeoutSeconds)
        var attempts = 0
        while true {
            if let cancellation = changes.cancellation, cancellation.isCancelled {
                throw StoreCore.cancelled
            }
            let attempt = SaveAttempt(self, changes, stamp: stamp, isTransaction: isTransaction)
            switch try attempt.run() {
            case .saved(let outcome):
                trimNowAndThen()
                return outcome
            case .historyChanged: continue
            case .stopped:
                let conflicts = try conflicts(of: changes)
                if !conflicts.isEmpty { return .conflicted(conflicts) }
                // The other one is gone again, or the two waited for each other.
                attempts += 1
                if attempts >= Self.mostAttempts || deadline.isPassed {
                    throw StoreError(
                        .storeBusy,
                        "Other saves to '\(core.place)' came first \(attempts) times; try again.")
                }
                Pause.wait(milliseconds: Int.random(in: 2...(4 << attempts)))
            }
        }
    }

    private func conflicts(of changes: ChangeSet) throws(StoreError) -> [StoreConflict] {
        try snapshots.withNewest { (connection, _) throws(StoreError) in
            let reading = RowReading(core, connection)
            var changes = changes
            // Derived values may be those that others have.
            if let derived = core.derived {
                changes = try derived.complete(changes, from: reading).changes
            }
            return try ConflictCollector(changes, reading).conflicts()
        }
    }

    /// Replaces the application's entries, outside of any transaction of the history.
    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        var entries = userInfo
        let present = try snapshots.withNewest { (connection, _) throws(StoreError) in
            try MetadataWriting.entries(
                RowReading(core, connection).run(core.statements.metadata.entries, []), core.place)
        }
        for name in present.keys where entries[name] == nil { entries[name] = .null }
        _ = try save(ChangeSet(metadata: entries), isTransaction: false)
    }

    // MARK: - Outcomes

    /// Records a save whose outcome is not known.
    func noteUnknown(_ identifier: UUID) {
        _ = unknown.withLock { $0.insert(identifier) }
    }

    /// Returns the state that a save created.
    ///
    /// If its outcome is not known, its transaction may still run. So its identifier is inserted
    /// without a number: this waits for the transaction, and afterwards either finds the save or
    /// has made sure that it never comes.
    func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        let isUnknown = unknown.withLock { $0.contains(identifier) }
        if isUnknown {
            let connection = try connections.take(
                within: Deadline(seconds: core.settings.timeoutSeconds))
            defer { connections.give(back: connection) }
            do throws(PostgresFailure) {
                _ = try connection.run(
                    core.statements.saves.fenceSave, [.uuid(identifier)],
                    RunLimits(deadline: core.replyDeadline))
            } catch {
                if error.sqlState != "23505" { throw core.error(error, "look up a save in") }
            }
            _ = unknown.withLock { $0.remove(identifier) }
        }
        var pipeline = Pipeline()
        pipeline.add(core.statements.saves.findSave, [.uuid(identifier)])
        let result = try run(pipeline)[0]
        guard result.rowCount == 1, let number = result.int64(0, 0) else { return nil }
        return StoreGeneration(rawValue: number)
    }

    // MARK: - Tidying up

    /// Closes all connections that nobody uses, and the others after their use.
    func dropConnections() {
        for pool in [connections, leasing, snapshots.connections] { pool.drop() }
    }

    private func trimNowAndThen() {
        let (_, count) = saveCount.add(1, ordering: .relaxed)
        // The save is done, whatever becomes of the trimming.
        if count % Self.savesPerTrim == 0 { try? trimSaves() }
    }

    /// Deletes what is remembered of old saves, except for those of the history.
    func trimSaves() throws(StoreError) {
        var pipeline = Pipeline()
        pipeline.add(core.statements.saves.trimSaves, [.bigint(Self.rememberedSaves)])
        pipeline.add(core.statements.saves.trimIdentifiers, [.bigint(Self.rememberedSaves)])
        try run(pipeline)
    }
}

/// A wait of a thread that may block.
enum Pause {
    static func wait(milliseconds: Int) {
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
    }
}
