import DuramenModel
import DuramenStore
import Synchronization

/// The readers of a store, and the newest snapshot that somebody holds.
final class SnapshotPool: Sendable {
    /// The most states that can be held at once.
    static let limit = 32
    /// A snapshot past its lease is ended once the file has grown by so much since it was taken.
    static let toleratedGrowthBytes = 16 << 20

    private struct Held {
        weak var snapshot: LMDBSnapshot?
        var reader: Reader
        var since: ContinuousClock.Instant
        var usedBytes: Int
    }

    private struct State {
        var idle: [Reader] = []
        var held: [ObjectIdentifier: Held] = [:]
        weak var newest: LMDBSnapshot?
        /// Nil when the store is closed.
        var use: EnvironmentUse?

        /// How many states are held; those that were ended hold none.
        var heldCount: Int {
            held.count < SnapshotPool.limit
                ? held.count : held.values.count { !$0.reader.isLost.load(ordering: .relaxed) }
        }
    }

    let schema: StoreSchema
    private let environment: Environment
    /// Nil for stores that are only read.
    let indexes: IndexKeeper?
    private let timeoutSeconds: Double
    private let leaseSeconds: Double
    private let state: Locked<State>

    init(
        schema: StoreSchema, use: EnvironmentUse, indexes: IndexKeeper?,
        _ description: PersistentStoreDescription
    ) {
        self.indexes = indexes
        self.schema = schema
        environment = use.environment
        state = Locked(State(use: use))
        timeoutSeconds = description.boundedTimeoutSeconds
        leaseSeconds = description.boundedLeaseSeconds
    }

    // MARK: - Taking

    /// The newest state; one that somebody holds already is shared.
    func snapshot() throws(StoreError) -> LMDBSnapshot {
        let reader = try takeReader()
        do throws(StoreError) {
            let generation = try MetaTable(transaction: reader.transaction, table: schema.meta)
                .generation()
            return try share(reader, StoreGeneration(rawValue: generation))
        } catch {
            giveBack(reader)
            throw error
        }
    }

    private func share(
        _ reader: Reader, _ generation: StoreGeneration
    ) throws(StoreError) -> LMDBSnapshot {
        // Whoever else held the newest may let go of it meanwhile. Its end takes the lock, so it is carried out
        // of there.
        let (snapshot, isNew, newest) = state.withLock {
            state -> (LMDBSnapshot?, Bool, LMDBSnapshot?) in
            let newest = state.newest
            if let newest, newest.generation == generation, !newest.isLost {
                return (newest, false, newest)
            }
            if state.heldCount >= Self.limit { return (nil, false, newest) }
            let made = LMDBSnapshot(generation: generation, reader: reader, pool: self)
            state.held[ObjectIdentifier(reader)] = Held(
                snapshot: made, reader: reader, since: .now, usedBytes: environment.usedBytes)
            state.newest = made
            return (made, true, newest)
        }
        defer { withExtendedLifetime(newest) {} }
        guard let snapshot else {
            throw StoreError(
                .readersExhausted,
                "\(Self.limit) different states of '\(schema.path)' are held at once; release "
                    + "snapshots before taking new ones.")
        }
        if isNew { schema.counters.noteSnapshot() } else { giveBack(reader) }
        return snapshot
    }

    private func takeReader() throws(StoreError) -> Reader {
        let (idle, use) = state.withLock { ($0.idle.popLast(), $0.use) }
        if let idle, idle.begin() { return idle }
        guard let use else { throw schema.closed }
        return try Reader(use, timeoutSeconds: timeoutSeconds)
    }

    // MARK: - Giving back

    /// Ends a reader's state and keeps its place for the next. The child of a fork leaves all as it is.
    func giveBack(_ reader: Reader) {
        if environment.process.isInherited { return }
        reader.mutex.withLock { _ in reader.end() }
        // What is no longer needed ends outside of the lock.
        _ = state.withLock { state -> Reader? in
            // The caller has it still.
            state.held[ObjectIdentifier(reader)] = nil
            if state.use == nil || state.idle.count >= Self.limit { return reader }
            state.idle.append(reader)
            return nil
        }
    }

    /// Ends snapshots that were held for too long while the file has grown, so that it need not grow on.
    ///
    /// - Parameter tolerated: The growth, in bytes, that is borne.
    /// - Returns: How many were ended.
    @discardableResult
    func endForgottenSnapshots(toleratedGrowthBytes tolerated: Int) -> Int {
        let oldest = ContinuousClock.now - .seconds(leaseSeconds)
        let used = environment.usedBytes
        let forgotten = state.withLock { state in
            state.held.values
                .filter { $0.since <= oldest && used - $0.usedBytes >= tolerated }
                .compactMap(\.snapshot)
        }
        return forgotten.count { $0.endIfUnused() }
    }

    /// Closes the readers that nobody uses; the others close when they come back.
    func close() {
        // What is let go of ends outside of the lock.
        let ended = state.withLock { state in
            defer {
                state.idle = []
                state.use = nil
            }
            return (state.idle, state.use)
        }
        withExtendedLifetime(ended) {}
    }
}

extension PersistentStoreDescription {
    /// The time-out as a clock can count it, in seconds: for ever becomes some days, and what is no time
    /// none.
    var boundedTimeoutSeconds: Double { timeoutSeconds > 0 ? min(timeoutSeconds, 1_000_000) : 0 }

    /// The lease as a clock can count it, in seconds.
    var boundedLeaseSeconds: Double {
        snapshotLeaseSeconds > 0 ? min(snapshotLeaseSeconds, 1e9) : 0
    }
}
