import DuramenModel

/// What holds the state of a snapshot in an engine that keeps old states for its readers.
package protocol SnapshotReader: AnyObject, Sendable {
    /// Whether the state was given up while somebody held it.
    var isLost: Bool { get }
}

/// A snapshot that its store may end when its lease is over.
package protocol LeasedSnapshot: AnyObject, Sendable {
    associatedtype Reader: SnapshotReader

    /// The state that it shows.
    var generation: StoreGeneration { get }
    /// What holds the state, for the life of the snapshot.
    var reader: Reader { get }

    /// Gives the state up, unless it is lost already or somebody reads at this moment.
    ///
    /// - Returns: Whether it did.
    func endIfUnused() -> Bool
}

/// The snapshots of a store that somebody holds, since when, and which of them shows the newest state.
package final class HeldSnapshots<Snapshot: LeasedSnapshot>: Sendable {
    /// The most states that can be held at once.
    package static var limit: Int { 32 }

    private struct Held {
        weak var snapshot: Snapshot?
        let reader: Snapshot.Reader
        /// When it was handed out last.
        var since: Duration
        /// What the store used then.
        let usedBytes: Int
    }

    private struct State {
        /// By their readers, which snapshots cannot be asked for any more when they go.
        var held: [ObjectIdentifier: Held] = [:]
        weak var newest: Snapshot?

        var liveCount: Int { held.values.count { !$0.reader.isLost } }
    }

    private let state = Locked(State())
    private let path: String
    /// How long each may be held.
    package let lease: SnapshotLease

    /// Begins with none.
    ///
    /// - Parameter path: The store, as messages name it.
    package init(path: String, lease: SnapshotLease) {
        self.path = path
        self.lease = lease
    }

    /// How many hold a state.
    package var count: Int { state.withLock { $0.liveCount } }

    /// The snapshot of a state: the one that somebody holds already, its lease renewed, or a new one.
    ///
    /// - Parameters:
    ///   - reader: What holds the state for the new one.
    ///   - usedBytes: How much space the store uses now; see ``endOverdue(where:)``.
    ///   - make: Makes the new one.
    /// - Throws: `.readersExhausted` when as many as can be are held.
    package func share(
        _ generation: StoreGeneration, _ reader: Snapshot.Reader, usedBytes: Int = 0,
        make: () -> Snapshot
    ) throws(StoreError) -> (snapshot: Snapshot, isNew: Bool) {
        let now = lease.now
        // Whoever else held the newest may let go of it meanwhile. Its end takes the lock, so it is carried
        // out of there.
        let (snapshot, isNew, newest) = state.withLock { state -> (Snapshot?, Bool, Snapshot?) in
            let newest = state.newest
            if let newest, newest.generation == generation, !newest.reader.isLost {
                state.held[ObjectIdentifier(newest.reader)]?.since = now
                return (newest, false, newest)
            }
            if state.held.count >= Self.limit, state.liveCount >= Self.limit {
                return (nil, false, newest)
            }
            let made = make()
            state.held[ObjectIdentifier(reader)] = Held(
                snapshot: made, reader: reader, since: now, usedBytes: usedBytes)
            state.newest = made
            return (made, true, newest)
        }
        defer { withExtendedLifetime(newest) {} }
        guard let snapshot else { throw exhausted }
        return (snapshot, isNew)
    }

    /// The error of a store that can hold no more states.
    package var exhausted: StoreError {
        StoreError(
            .readersExhausted,
            "\(Self.limit) different states of '\(path)' are held at once; release snapshots before "
                + "taking new ones.")
    }

    /// Notes that the snapshot of a reader is gone.
    package func remove(_ reader: Snapshot.Reader) {
        // The caller has the reader still, so nothing ends under the lock.
        state.withLock { $0.held[ObjectIdentifier(reader)] = nil }
    }

    /// Ends the snapshots whose lease is over, but for those that are being read at this moment.
    ///
    /// - Parameter isInTheWay: Told how many bytes the store used when a snapshot was taken, whether that
    ///   one shall be ended.
    /// - Returns: How many were ended.
    @discardableResult
    package func endOverdue(where isInTheWay: (Int) -> Bool = { _ in true }) -> Int {
        // All that is looked at is carried out of the lock, which the end of the last reference takes.
        let (overdue, newest) = state.withLock { state in
            let overdue = state.held.values
                .filter { lease.isOver(since: $0.since) && isInTheWay($0.usedBytes) }
                .compactMap(\.snapshot)
            let newest = state.newest
            // Not handed out any more, so that nobody gets one that ends at once.
            if let newest, overdue.contains(where: { $0 === newest }) { state.newest = nil }
            return (overdue, newest)
        }
        defer { withExtendedLifetime(newest) {} }
        return overdue.count { $0.endIfUnused() }
    }
}
