import DuramenModel
import DuramenStore
import Synchronization

/// The readers of a store, and where snapshots come from.
final class SnapshotPool: Sendable {
    private struct State {
        var idle: [Reader] = []
        /// Nil when the store is closed.
        var use: EnvironmentUse?
    }

    let schema: StoreSchema
    private let environment: Environment
    /// Nil for stores that are only read.
    let indexes: IndexKeeper?
    private let timeoutSeconds: Double
    let held: HeldSnapshots<LMDBSnapshot>
    private let state: Locked<State>

    init(
        schema: StoreSchema, use: EnvironmentUse, held: HeldSnapshots<LMDBSnapshot>,
        indexes: IndexKeeper?, timeoutSeconds: Double
    ) {
        self.schema = schema
        environment = use.environment
        self.held = held
        self.indexes = indexes
        self.timeoutSeconds = timeoutSeconds
        state = Locked(State(use: use))
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
        let (snapshot, isNew) = try held.share(
            generation, reader, usedBytes: environment.usedBytes
        ) { LMDBSnapshot(generation: generation, reader: reader, pool: self) }
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
        held.remove(reader)
        reader.mutex.withLock { _ in reader.end() }
        // What is no longer needed ends outside of the lock.
        _ = state.withLock { state -> Reader? in
            if state.use == nil || state.idle.count >= HeldSnapshots<LMDBSnapshot>.limit {
                return reader
            }
            state.idle.append(reader)
            return nil
        }
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
