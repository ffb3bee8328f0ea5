import DuramenFileStore
import DuramenModel
import DuramenStore
import Synchronization

/// The readers of a store, and the source of its snapshots.
final class SnapshotPool: Sendable {
    private struct State {
        var idle: [Reader] = []
        /// Nil when the store is closed.
        var use: EnvironmentUse?
    }

    let schema: StoreSchema
    private let environment: Environment
    /// Nil for stores that are opened for reading only.
    let indexes: IndexKeeper?
    private let timeoutSeconds: Double
    let held: HeldSnapshots
    private let state: Locked<State>
    /// The last generation that is known to have this version of the model.
    private let checkedGeneration = Atomic<Int64>(-1)

    init(
        schema: StoreSchema, use: EnvironmentUse, held: HeldSnapshots,
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

    /// Returns a snapshot of the newest state; an existing snapshot's state is shared.
    func snapshot() throws(StoreError) -> LMDBSnapshot {
        let reader = try takeReader()
        do throws(StoreError) {
            let generation = try reader.generation(schema)
            // Another process may have migrated the store, which creates a generation.
            if generation.rawValue != checkedGeneration.load(ordering: .relaxed) {
                _ = try schema.indexNumbers.numbers(schema, reader.transaction)
                checkedGeneration.store(generation.rawValue, ordering: .relaxed)
            }
            return try share(reader, generation)
        } catch {
            end(reader)
            throw error
        }
    }

    /// Reads data that changes without a new generation, such as histories, which a shared snapshot
    /// may show in an older version.
    func withNewest<R: Sendable>(
        _ body: (Transaction) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try schema.checkOpen()
        let reader = try takeReader()
        defer { end(reader) }
        return try body(reader.transaction)
    }

    private func share(
        _ reader: Reader, _ generation: StoreGeneration
    ) throws(StoreError) -> LMDBSnapshot {
        let shared = try held.share(generation, reader, usedBytes: environment.usedBytes)
        guard let shared = shared as? Reader else {
            schema.counters.noteSnapshot()
            return LMDBSnapshot(generation: generation, reader: reader, pool: self)
        }
        end(reader)
        return LMDBSnapshot(generation: generation, reader: shared, pool: self)
    }

    private func takeReader() throws(StoreError) -> Reader {
        let idle = state.withLock { $0.idle.popLast() }
        if let idle, idle.begin() { return idle }
        guard let use = state.withLock({ $0.use }) else { throw schema.closed }
        return try Reader(use, timeoutSeconds: timeoutSeconds)
    }

    // MARK: - Returning

    /// Ends a reader's state with its last snapshot. A child made by fork does nothing.
    func giveBack(_ reader: Reader) {
        if !environment.process.isInherited, held.remove(reader) { end(reader) }
    }

    /// Ends the state of an unshared reader, and keeps its slot for the next one.
    private func end(_ reader: Reader) {
        reader.end()
        // An unneeded reader is released outside of the lock.
        _ = state.withLock { state -> Reader? in
            if state.use == nil || state.idle.count >= held.limit {
                return reader
            }
            state.idle.append(reader)
            return nil
        }
    }

    /// Closes the unused readers; the others close when they are returned.
    func close() {
        // The readers are released outside of the lock.
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
