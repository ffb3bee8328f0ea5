import DuramenModel
public import DuramenStore

/// A reader of the engine that holds the state of one or several snapshots.
public protocol SnapshotReader: AnyObject, Sendable {
    /// Whether the state was given up while somebody held it.
    var isLost: Bool { get }

    /// Gives the state up, unless it is lost already or somebody reads at this moment. It must not
    /// wait.
    ///
    /// - Returns: Whether it did.
    func endIfUnused() -> Bool
}

/// The states of a store that snapshots show, since when, and how many snapshots show each.
///
/// They are counted rather than referred to weakly: a weak reference costs more than all else about
/// a snapshot that lives for one look-up. Nor is this generic: code of another module would not be
/// made for one kind of reader.
public final class HeldSnapshots: Sendable {
    /// The most states that can be held at once.
    public static var limit: Int { 32 }

    private struct Held {
        let reader: any SnapshotReader
        let generation: StoreGeneration
        var snapshots = 1
        /// When it was handed out last.
        var since: Duration
        /// What the store used when it was handed out first.
        let usedBytes: Int
    }

    // Few, so that looking at all costs less than a table.
    private let state = Locked<[Held]>([])
    private let path: String
    /// How long each may be held.
    public let lease: SnapshotLease

    /// Begins with none.
    ///
    /// - Parameter path: The store, as messages name it.
    public init(path: String, lease: SnapshotLease) {
        self.path = path
        self.lease = lease
    }

    /// How many states are held.
    public var count: Int { state.withLock { $0.count { !$0.reader.isLost } } }

    /// Counts a snapshot of a state: one that somebody holds already, its lease renewed, or a new
    /// one.
    ///
    /// - Parameters:
    ///   - reader: What holds the state if it is a new one.
    ///   - usedBytes: How much space the store uses now; see ``endOverdue(where:)``.
    /// - Returns: What holds the state already; nil when `reader` does now. Either ends with
    ///   ``remove(_:)``.
    /// - Throws: `.readersExhausted` when as many as can be are held.
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
            if held.count >= Self.limit, held.count(where: { !$0.reader.isLost }) >= Self.limit {
                return (nil, true)
            }
            held.append(
                Held(reader: reader, generation: generation, since: now, usedBytes: usedBytes))
            return (nil, false)
        }
        if isExhausted { throw exhausted }
        return shared
    }

    /// The error of a store that can hold no more states.
    public var exhausted: StoreError {
        StoreError(
            .readersExhausted,
            "\(Self.limit) different states of '\(path)' are held at once; release snapshots before "
                + "taking new ones.")
    }

    /// Notes that a snapshot of a reader is gone.
    ///
    /// - Returns: Whether it was the last one, so that the reader's state can be let go.
    public func remove(_ reader: any SnapshotReader) -> Bool {
        state.withLock { held in
            guard let place = held.firstIndex(where: { $0.reader === reader }) else { return true }
            held[place].snapshots -= 1
            if held[place].snapshots > 0 { return false }
            held.remove(at: place)
            return true
        }
    }

    /// Ends the states whose lease is over, but for those that are being read at this moment.
    ///
    /// - Parameter isInTheWay: Told how many bytes the store used when a state was handed out
    ///   first, whether that one shall be ended.
    /// - Returns: How many were ended.
    @discardableResult
    public func endOverdue(where isInTheWay: (Int) -> Bool = { _ in true }) -> Int {
        // Under the lock, so that nobody gives a reader back meanwhile and begins another state
        // with it.
        state.withLock { held in
            held.count { held in
                lease.isOver(since: held.since) && isInTheWay(held.usedBytes)
                    && held.reader.endIfUnused()
            }
        }
    }
}
