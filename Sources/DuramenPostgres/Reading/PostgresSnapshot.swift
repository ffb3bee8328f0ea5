import DuramenModel
import DuramenQuery
import DuramenStore

/// An unchanging state: a transaction that ends with its last snapshot.
final class PostgresSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    let reader: Reader
    private let pool: SnapshotPool

    init(generation: StoreGeneration, reader: Reader, pool: SnapshotPool) {
        self.generation = generation
        self.reader = reader
        self.pool = pool
    }

    deinit { pool.giveBack(reader) }

    var core: StoreCore { pool.core }

    /// Only the server knows, and it would cost a round trip.
    var isNewest: Bool { false }

    /// Calls `body` with exclusive use of the connection.
    func withReading<R: Sendable>(
        _ cancellation: CancellationFlag? = nil, readsMuch: Bool = false,
        _ body: (RowReading) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try core.checkUsable()
        if let cancellation, cancellation.isCancelled { throw StoreCore.cancelled }
        return try reader.with { (connection) throws(StoreError) in
            let limits = RunLimits(
                deadline: core.settings.readSeconds.map { Deadline(seconds: $0) },
                cancellation: cancellation, keepsConnection: true)
            return try body(RowReading(core, connection, limits, readsMuch: readsMuch))
        }
    }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try withReading(readsMuch: ids.count > 1) { (reading) throws(StoreError) in
            try reading.rows(for: ids, limit: RowAnswerLimit.bytes)
        }
    }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? { try rows(for: [id]).first }

    func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row? {
        try row(for: id)
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try withReading(readsMuch: sources.count > 1) { (reading) throws(StoreError) in
            try reading.destinations(of: relationship, from: sources)
        }
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try withReading(readsMuch: sources.count > 1) { (reading) throws(StoreError) in
            try reading.orderedDestinations(of: relationship, from: sources)
        }
    }

    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> { [] }
}
