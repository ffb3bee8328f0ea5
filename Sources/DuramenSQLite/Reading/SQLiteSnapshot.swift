import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Synchronization

/// An unchanging state: a read transaction that ends with its last snapshot.
final class SQLiteSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    let reader: Reader
    private let pool: ReaderPool

    init(generation: StoreGeneration, reader: Reader, pool: ReaderPool) {
        self.generation = generation
        self.reader = reader
        self.pool = pool
    }

    deinit { pool.giveBack(reader) }

    var core: StoreCore { pool.core }

    var isNewest: Bool {
        // A new snapshot would report the error.
        if (try? core.checkUsable()) == nil { return false }
        return reader.mutex.withLock { _ in reader.isNewest }
    }

    /// Calls `body` with exclusive use of the connection.
    @inline(__always) func withSource<R: Sendable>(
        _ body: (RowSource) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try core.checkUsable()
        return try reader.mutex.withLock { (_) throws(StoreError) -> R in
            if let lost = reader.lost { throw lost }
            return try reader.source.connection.readingUnwritten { () throws(StoreError) in
                try body(reader.source)
            }
        }
    }

    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> {
        try withSource { (source) throws(StoreError) in
            try IndexCheck(connection: source.connection, schema: core.schema)
                .unenforcedConstraints()
        }
    }

    /// Announces the needs of a statement.
    func need(_ select: CompiledSelect) {
        pool.indexes?.need(select.comparedToOnes, on: self)
    }

    /// The names of the indexes that a statement needs and that do not exist yet.
    func missingIndexes(of select: CompiledSelect) -> [String] {
        pool.indexes?.missingNames(select.comparedToOnes) ?? []
    }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try withSource { (source) throws(StoreError) in
            try RowRequest(ids: ids, core: core).rows(
                from: source, limit: RowAnswerLimit.bytes)
        }
    }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        try withSource { (source) throws(StoreError) in
            reader.noteLookUp()
            return try source.row(for: id)
        }
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try withDestinations(of: relationship, from: sources) {
            (request, source) throws(StoreError) in
            try request.destinations(from: sources, source: source)
        }
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try withDestinations(of: relationship, from: sources) {
            (request, source) throws(StoreError) in
            try request.orderedDestinations(from: sources, source: source)
        }
    }

    private func withDestinations<R: Sendable>(
        of relationship: RelationshipID, from sources: [ManagedObjectID],
        _ body: (DestinationRequest, RowSource) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try core.checkUsable()
        let request = DestinationRequest(core: core, relationship: relationship)
        if !sources.isEmpty { pool.indexes?.need(request.comparedToOnes, on: self) }
        return try withSource { (source) throws(StoreError) in try body(request, source) }
    }

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor {
        try core.checkUsable()
        return try SQLiteCursor(query, on: self)
    }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        try core.checkUsable()
        if let cancellation = query.query.cancellation, cancellation.isCancelled {
            throw Cancellation.error
        }
        let select = try QueryCompiler(core).identifiers(query)
        need(select)
        return try withSource { (source) throws(StoreError) in
            try select.identifiers(on: source, core: core, query.query.cancellation)
        }
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try core.checkUsable()
        if let cancellation = query.query.cancellation, cancellation.isCancelled {
            throw Cancellation.error
        }
        let select = try QueryCompiler(core).count(query)
        need(select)
        let total = try withSource { (source) throws(StoreError) in
            try select.count(on: source)
        }
        let rest = max(0, total - query.query.offset)
        return query.query.limit.map { min(rest, $0) } ?? rest
    }
}
