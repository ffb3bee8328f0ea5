public import Synchronization

/// Counts of the work that a store did, so that tests can assert it instead of timing it.
public final class StoreCounters: Sendable {
    @usableFromInline let statementCount = Atomic<Int>(0)
    @usableFromInline let rowCount = Atomic<Int>(0)
    @usableFromInline let snapshotCount = Atomic<Int>(0)
    @usableFromInline let tripCount = Atomic<Int>(0)

    /// Creates counters that start at zero.
    public init() {}

    /// The number of statements, or of similar round trips to the engine.
    public var statements: Int { statementCount.load(ordering: .relaxed) }
    /// The number of rows copied from the engine.
    public var rowsDecoded: Int { rowCount.load(ordering: .relaxed) }
    /// The number of read transactions.
    public var snapshots: Int { snapshotCount.load(ordering: .relaxed) }
    /// The number of round trips to a server: one carries any number of statements. Engines in this
    /// process make none.
    public var trips: Int { tripCount.load(ordering: .relaxed) }

    /// Counts a statement.
    @inlinable public func noteStatement() { statementCount.add(1, ordering: .relaxed) }
    /// Counts rows.
    @inlinable public func noteRows(_ count: Int) { rowCount.add(count, ordering: .relaxed) }
    /// Counts a read transaction.
    @inlinable public func noteSnapshot() { snapshotCount.add(1, ordering: .relaxed) }
    /// Counts a round trip to a server.
    @inlinable public func noteTrip() { tripCount.add(1, ordering: .relaxed) }
}
