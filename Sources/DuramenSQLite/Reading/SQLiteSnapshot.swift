import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Synchronization

/// One unchanging state: a read transaction that ends with its last user.
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

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try core.checkOpen()
        return try reader.mutex.withLock { (_) throws(StoreError) in
            try RowRequest(ids: ids, core: core).rows(from: reader.source)
        }
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try core.checkOpen()
        return try reader.mutex.withLock { (_) throws(StoreError) in
            try DestinationRequest(core: core, relationship: relationship)
                .destinations(from: sources, source: reader.source)
        }
    }

    func cursor(_ query: StoreQuery) throws(StoreError) -> any StoreCursor {
        try core.checkOpen()
        return try SQLiteCursor(query, on: self)
    }

    func objectIDs(_ query: StoreQuery) throws(StoreError) -> [ManagedObjectID] {
        try core.checkOpen()
        if let cancellation = query.cancellation, cancellation.isCancelled {
            throw Cancellation.error
        }
        let select = try QueryCompiler(core: core).identifiers(query)
        return try reader.mutex.withLock { (_) throws(StoreError) in
            try select.identifiers(on: reader.source, core: core, query.cancellation)
        }
    }

    func count(_ query: StoreQuery) throws(StoreError) -> Int {
        try core.checkOpen()
        if let cancellation = query.cancellation, cancellation.isCancelled {
            throw Cancellation.error
        }
        let select = try QueryCompiler(core: core).count(query)
        let total = try reader.mutex.withLock { (_) throws(StoreError) in
            try select.count(on: reader.source)
        }
        let rest = max(0, total - query.offset)
        return query.limit.map { min(rest, $0) } ?? rest
    }
}
