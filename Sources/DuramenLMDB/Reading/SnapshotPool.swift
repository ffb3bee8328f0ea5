import DuramenFileStore
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
    let held: HeldSnapshots
    private let state: Locked<State>
    /// The last generation that was found to be of this version of the model.
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

    /// The newest state; one that somebody holds already is shared.
    func snapshot() throws(StoreError) -> LMDBSnapshot {
        let reader = try takeReader()
        do throws(StoreError) {
            let generation = try reader.generation(schema)
            // Another process may have changed the model, which makes a generation.
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

    /// Reads what changes without a new generation, such as histories, which a shared snapshot may
    /// have as it was.
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

    // MARK: - Giving back

    /// Ends a reader's state with the last snapshot of it. The child of a fork leaves all as it is.
    func giveBack(_ reader: Reader) {
        if !environment.process.isInherited, held.remove(reader) { end(reader) }
    }

    /// Ends the state of a reader that nobody else has any more, and keeps its place for the next.
    private func end(_ reader: Reader) {
        reader.end()
        // What is no longer needed ends outside of the lock.
        _ = state.withLock { state -> Reader? in
            if state.use == nil || state.idle.count >= HeldSnapshots.limit {
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
