import DuramenModel
import DuramenStore

/// The snapshots that somebody holds, since when, and which of them shows the newest state.
final class HeldSnapshots: Sendable {
    /// The most states that can be held at once.
    static let limit = 32

    private struct Held {
        weak var snapshot: SQLiteSnapshot?
        /// When it was handed out last.
        var since: Duration
    }

    private struct State {
        /// By their readers, which a snapshot keeps for its life.
        var held: [ObjectIdentifier: Held] = [:]
        weak var newest: SQLiteSnapshot?
    }

    private let state = Locked(State())
    private let lease: SnapshotLease

    init(lease: SnapshotLease) { self.lease = lease }

    /// How many are held.
    var count: Int { state.withLock { $0.held.count } }

    /// The snapshot of a state: the one that somebody holds already, or a new one on the reader.
    ///
    /// - Returns: Nil when as many as can be are held.
    func share(
        _ generation: StoreGeneration, _ reader: Reader, _ pool: ReaderPool
    ) -> (snapshot: SQLiteSnapshot, isNew: Bool)? {
        let now = lease.now
        // Whoever else held the newest may let go of it meanwhile. Its end takes the lock, so it is carried
        // out of there.
        let (snapshot, isNew, newest) = state.withLock {
            state -> (SQLiteSnapshot?, Bool, SQLiteSnapshot?) in
            let newest = state.newest
            if let newest, newest.generation == generation {
                state.held[ObjectIdentifier(newest.reader)]?.since = now
                return (newest, false, newest)
            }
            if state.held.count >= Self.limit { return (nil, false, newest) }
            let made = SQLiteSnapshot(generation: generation, reader: reader, pool: pool)
            state.held[ObjectIdentifier(reader)] = Held(snapshot: made, since: now)
            state.newest = made
            return (made, true, newest)
        }
        defer { withExtendedLifetime(newest) {} }
        return snapshot.map { ($0, isNew) }
    }

    /// Notes that a snapshot is gone.
    func remove(_ reader: Reader) {
        _ = state.withLock { $0.held.removeValue(forKey: ObjectIdentifier(reader)) }
    }

    /// Ends the snapshots whose lease is over, but for those that are being read at this moment.
    ///
    /// - Returns: How many were ended.
    @discardableResult
    func endOverdue(of path: String) -> Int {
        // Carried out of the lock, which the end of the last reference takes.
        let overdue = state.withLock { state -> [SQLiteSnapshot] in
            let overdue = state.held.values.filter { lease.isOver(since: $0.since) }
                .compactMap(\.snapshot)
            // Not handed out any more, so that nobody gets one that has ended.
            if let newest = state.newest, overdue.contains(where: { $0 === newest }) {
                state.newest = nil
            }
            return overdue
        }
        return overdue.count { $0.reader.expire(lease.expired(path)) }
    }
}
