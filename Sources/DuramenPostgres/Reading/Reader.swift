import DuramenModel
import DuramenStore
import Synchronization

/// A connection that holds one unchanging state, for one or more snapshots.
///
/// Its snapshots may be used by any thread: they take turns.
// Sound: the connection and the other properties are used with `turn` held only.
final class Reader: SnapshotReader, @unchecked Sendable {
    private let turn = Locked<Void>(())
    private let core: StoreCore
    private let connections: ConnectionPool
    /// Nil when the state was released.
    private var connection: Connection?
    /// Whether the connection is gone. It is read while somebody else uses the connection.
    private let isGone = Atomic<Bool>(false)
    /// The number of the next cursor.
    private var cursorCount = 0

    init(_ connection: Connection, of connections: ConnectionPool, _ core: StoreCore) {
        self.connection = connection
        self.connections = connections
        self.core = core
    }

    // The list of all states is locked meanwhile, so it must not wait for a long query.
    var isLost: Bool { isGone.load(ordering: .acquiring) }

    /// Finds out whether the server has ended the connection, unless it is in use.
    func notesEnd() -> Bool {
        turn.withLockIfAvailable { _ in
            guard let connection, !connection.hasEndedUnused else {
                isGone.store(true, ordering: .releasing)
                return true
            }
            return false
        } ?? false
    }

    /// Calls `body` while nobody else uses the connection.
    ///
    /// - Throws: The error of `body`; `.snapshotExpired` when the state was released.
    func with<R: Sendable>(
        _ body: (Connection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try turn.withLock { (_) throws(StoreError) -> R in
            guard let connection, !connection.isBroken else {
                isGone.store(true, ordering: .releasing)
                throw core.snapshotExpired
            }
            defer { if connection.isBroken { isGone.store(true, ordering: .releasing) } }
            do throws(PostgresFailure) {
                try connection.recover(.recovery)
            } catch {
                throw core.error(error, "read")
            }
            return try body(connection)
        }
    }

    /// A name that no other cursor of the transaction has. Call it within ``with(_:)``.
    func nextCursorName() -> String {
        cursorCount += 1
        return "c\(cursorCount)"
    }

    func endIfUnused() -> Bool {
        turn.withLockIfAvailable { _ in
            guard let connection else { return false }
            self.connection = nil
            isGone.store(true, ordering: .releasing)
            // The server ends the transaction with the connection.
            connection.close()
            connections.give(back: connection)
            return true
        } ?? false
    }

    /// Ends the state. Nobody waits: who uses the connection next reads the answer first.
    func end() {
        turn.withLock { _ in
            guard let connection else { return }
            self.connection = nil
            isGone.store(true, ordering: .releasing)
            if connection.wasCancelled {
                connection.close()
            } else if !connection.isBroken {
                connection.needsRecovery = false
                var pipeline = Pipeline()
                pipeline.add(Statement.commit)
                connection.send(pipeline)
            }
            connections.give(back: connection)
        }
    }
}
