import DuramenModel
import DuramenStore

/// The source of a store's snapshots.
final class SnapshotPool: Sendable {
    let core: StoreCore
    let connections: ConnectionPool
    let held: HeldSnapshots

    init(core: StoreCore, connections: ConnectionPool, held: HeldSnapshots) {
        self.core = core
        self.connections = connections
        self.held = held
    }

    /// Returns a snapshot of the newest state. A state that is held already is shared.
    func snapshot() throws(StoreError) -> PostgresSnapshot {
        let (reader, generation) = try begin()
        var shared: (any SnapshotReader)?
        do throws(StoreError) {
            shared = try held.share(generation, reader)
            // One whose connection the server has ended is not given to anybody else.
            while let other = shared as? Reader, other.notesEnd() {
                _ = held.remove(other)
                shared = try held.share(generation, reader)
            }
        } catch {
            reader.end()
            throw error
        }
        guard let shared = shared as? Reader else {
            core.counters.noteSnapshot()
            return PostgresSnapshot(generation: generation, reader: reader, pool: self)
        }
        reader.end()
        return PostgresSnapshot(generation: generation, reader: shared, pool: self)
    }

    /// Calls `body` with a connection in a state of its own, the newest.
    func withNewest<R: Sendable>(
        _ body: (Connection, StoreGeneration) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let (reader, generation) = try begin()
        defer { reader.end() }
        return try reader.with { (connection) throws(StoreError) in
            try body(connection, generation)
        }
    }

    /// Begins a transaction that sees one state, in one round trip.
    private func begin() throws(StoreError) -> (Reader, StoreGeneration) {
        try core.checkUsable()
        var pipeline = Pipeline()
        pipeline.add(Statement.beginSnapshot)
        pipeline.add(core.statements.saves.state)
        // A transaction that waited for the end of a migration is older than the new tables, and
        // sees no row in them.
        for _ in 0..<2 {
            if let begun = try begin(pipeline) { return begun }
        }
        throw core.damagedState
    }

    /// Begins once; nil if the row about the store is not seen.
    private func begin(
        _ pipeline: Pipeline
    ) throws(StoreError) -> (Reader, StoreGeneration)? {
        core.counters.noteStatement()
        let (connection, results) = try connections.run(pipeline, core)
        let reader = Reader(connection, of: connections, core)
        let state = results[1]
        guard state.rowCount == 1, let layout = state.int64(0, 0), let number = state.int64(0, 1)
        else {
            reader.end()
            return nil
        }
        if layout != core.layout {
            reader.end()
            throw StoreError.storeMigrated(core.place)
        }
        if let stamp = state.int64(0, 2) { core.newest.note(number, stamp: stamp) }
        return (reader, StoreGeneration(rawValue: number))
    }

    /// Ends a reader's state with its last snapshot. A child made by fork does nothing.
    func giveBack(_ reader: Reader) {
        if !core.process.isInherited, held.remove(reader) { reader.end() }
    }
}

extension ConnectionPool {
    /// Takes a connection and runs a pipeline that begins a transaction.
    ///
    /// A connection that was idle may have been closed by the server. Nothing was done on it then,
    /// so that another one is taken.
    func run(
        _ pipeline: Pipeline, _ core: StoreCore, _ limits: RunLimits = .none
    ) throws(StoreError) -> (Connection, [ResultSet]) {
        var limits = limits
        limits.deadline = limits.deadline ?? core.replyDeadline
        for isLast in [false, true] {
            let connection = try take(within: Deadline(seconds: core.settings.timeoutSeconds))
            do throws(PostgresFailure) {
                return (connection, try connection.run(pipeline, limits))
            } catch {
                let isStale = error.isConnectionLost || error.isOfGoneTable
                if isStale { connection.close() }
                give(back: connection)
                if isLast || !isStale { throw core.error(error, "reach") }
            }
        }
        throw core.damagedState
    }
}
