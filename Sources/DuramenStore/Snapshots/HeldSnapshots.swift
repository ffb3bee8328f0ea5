import DuramenModel

/// A reader of the engine that holds the state of one or more snapshots.
public protocol SnapshotReader: AnyObject, Sendable {
    /// Whether the state was released while a snapshot used it.
    var isLost: Bool { get }

    /// Releases the state, unless it is lost already or is being read at this moment. It must not
    /// wait.
    ///
    /// - Returns: Whether it released the state.
    func endIfUnused() -> Bool
}

/// The states that snapshots of a store use, since when, and by how many snapshots.
///
/// Snapshots are counted rather than referred to weakly: a weak reference costs more than the rest
/// of a snapshot for one look-up. The class is not generic, because generic code of another module
/// would not be specialized.
public final class HeldSnapshots: Sendable {
    /// The usual limit of states that can be held at once.
    public static var usualLimit: Int { 32 }

    private struct Held {
        let reader: any SnapshotReader
        let generation: StoreGeneration
        var snapshots = 1
        /// The time when a snapshot last got the state.
        var since: Duration
        /// The bytes of the store when the first snapshot got the state.
        let usedBytes: Int
    }

    // There are few, so a linear search costs less than a table.
    private let state = Locked<[Held]>([])
    private let path: String
    /// The lease of each snapshot.
    public let lease: SnapshotLease
    /// The largest number of states that can be held at once.
    public let limit: Int

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - path: The store's path, for messages.
    ///   - lease: The lease of each snapshot.
    ///   - limit: The largest number of states that can be held at once.
    public init(path: String, lease: SnapshotLease, limit: Int = HeldSnapshots.usualLimit) {
        self.path = path
        self.limit = limit
        self.lease = lease
    }

    /// The number of held states.
    public var count: Int { state.withLock { $0.count { !$0.reader.isLost } } }

    /// Adds a snapshot of a state. If the state is held already, its lease is renewed.
    ///
    /// - Parameters:
    ///   - generation: The number of the state.
    ///   - reader: A reader of the state, which is used if the state is not held yet.
    ///   - usedBytes: The bytes of the store now; see ``endOverdue(where:)``.
    /// - Returns: The reader that holds the state already; nil when `reader` does now. End the use
    ///   of either with ``remove(_:)``.
    /// - Throws: `.readersExhausted` when the largest number of states is held.
    public func share(
        _ generation: StoreGeneration, _ reader: any SnapshotReader, usedBytes: Int = 0
    ) throws(StoreError) -> (any SnapshotReader)? {
        let now = lease.now
        let (shared, isExhausted) = state.withLock { held -> ((any SnapshotReader)?, Bool) in
            for place in held.indices
            where held[place].generation == generation && !held[place].reader.isLost {
                held[place].snapshots += 1
                held[place].since = now
                return (held[place].reader, false)
            }
            if held.count >= limit, held.count(where: { !$0.reader.isLost }) >= limit {
                return (nil, true)
            }
            held.append(
                Held(reader: reader, generation: generation, since: now, usedBytes: usedBytes))
            return (nil, false)
        }
        if isExhausted { throw exhausted }
        return shared
    }

    /// The error for a store that can hold no more states.
    public var exhausted: StoreError {
        StoreError(
            .readersExhausted,
            "\(limit) different states of '\(path)' are held at once; release snapshots before "
                + "taking new ones.")
    }

    /// Removes a snapshot of a reader.
    ///
    /// - Returns: Whether it was the last one, so that the reader's state can be released.
    public func remove(_ reader: any SnapshotReader) -> Bool {
        state.withLock { held in
            guard let place = held.firstIndex(where: { $0.reader === reader }) else { return true }
            held[place].snapshots -= 1
            if held[place].snapshots > 0 { return false }
            held.remove(at: place)
            return true
        }
    }

    /// Ends the states whose leases have expired, except those that are being read at this moment.
    ///
    /// - Parameter isInTheWay: Returns whether to end a state, given the bytes of the store when
    ///   the first snapshot got the state.
    /// - Returns: The number of ended states.
    @discardableResult
    public func endOverdue(where isInTheWay: (Int) -> Bool = { _ in true }) -> Int {
        // Under the lock, so that no reader is released meanwhile and reused for another state.
        state.withLock { held in
            held.count { held in
                lease.isOver(since: held.since) && isInTheWay(held.usedBytes)
                    && held.reader.endIfUnused()
            }
        }
    }
}
