import DuramenModel
import DuramenStore

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
    /// The number of the next cursor.
    private var cursorCount = 0

    init(_ connection: Connection, of connections: ConnectionPool, _ core: StoreCore) {
        self.connection = connection
        self.connections = connections
        self.core = core
    }

    var isLost: Bool { turn.withLock { _ in connection?.isBroken ?? true } }

    /// Calls `body` while nobody else uses the connection.
    ///
    /// - Throws: The error of `body`; `.snapshotExpired` when the state was released.
    func with<R: Sendable>(
        _ body: (Connection) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try turn.withLock { (_) throws(StoreError) -> R in
            guard let connection, !connection.isBroken else { throw core.snapshotExpired }
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
            if !connection.isBroken {
                var pipeline = Pipeline()
                pipeline.add(Statement.commit)
                connection.send(pipeline)
            }
            connections.give(back: connection)
        }
    }
}
