import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore
import Synchronization

/// An unchanging state: a transaction that ends with its last snapshot.
final class LMDBSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    let reader: Reader
    let pool: SnapshotPool
    var schema: StoreSchema { pool.schema }

    init(generation: StoreGeneration, reader: Reader, pool: SnapshotPool) {
        self.generation = generation
        self.reader = reader
        self.pool = pool
    }

    deinit { pool.giveBack(reader) }

    /// Calls `body` with exclusive use of the transaction.
    @inline(__always) func withRows<R: Sendable>(
        _ body: (RowReading) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try schema.checkOpen()
        return try reader.mutex.withLock { (_) throws(StoreError) -> R in
            if reader.isLost { throw pool.held.lease.expired(schema.path) }
            return try body(RowReading(schema: pool.schema, transaction: reader.transaction))
        }
    }

    /// Switches to a newer transaction if it shows an equal state; it may have more indexes.
    func beginAnew() {
        _ = reader.mutex.withLockIfAvailable { _ in
            // An iteration points into pages of its transaction.
            if reader.isLost || reader.walkCount > 0 { return }
            reader.end()
            if reader.begin() {
                if (try? reader.generation(schema)) == generation { return }
            }
            reader.lose()
        }
    }

    /// Counts the end of an iteration.
    fileprivate func endWalk() { reader.mutex.withLock { _ in reader.walkCount -= 1 } }

    // MARK: - Indexes

    /// The number of each index that is complete in this state.
    func indexNumbers(_ rows: RowReading) throws(StoreError) -> [UInt32?] {
        if let known = reader.indexNumbers { return known }
        let numbers = try schema.indexNumbers.numbers(schema, rows.transaction)
        reader.indexNumbers = numbers
        return numbers
    }

    func unenforcedConstraints() throws(StoreError) -> Set<UniquenessConstraint> {
        try withRows { (rows) throws(StoreError) in
            try MetaTable(transaction: rows.transaction, table: schema.tables.meta).indexList()
                .unenforcedConstraints(of: schema)
        }
    }

    // MARK: - Rows

    var isNewest: Bool {
        // A new snapshot would report the error.
        if (try? schema.checkOpen()) == nil { return false }
        return reader.mutex.withLock { _ in reader.isNewest }
    }

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        schema.counters.noteStatement()
        return try withRows { (rows) throws(StoreError) in
            let batch = try rows.batch(of: ids, limit: RowAnswerLimit.bytes)
            schema.counters.noteRows(batch.count)
            return batch
        }
    }

    func row(for id: ManagedObjectID) throws(StoreError) -> Row? { try read(id, nil) }

    func row(for id: ManagedObjectID, in pool: RowPool) throws(StoreError) -> Row? {
        try read(id, pool)
    }

    @inline(__always)
    private func read(_ id: ManagedObjectID, _ pool: RowPool?) throws(StoreError) -> Row? {
        schema.counters.noteStatement()
        return try withRows { (rows) throws(StoreError) in
            guard let row = try rows.row(of: id, in: pool) else { return nil }
            schema.counters.noteRows(1)
            return row
        }
    }

    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try withDestinations(of: relationship, from: sources) {
            (request, relationship) throws(StoreError) in
            try request.destinations(of: relationship, from: sources)
        }
    }

    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try withDestinations(of: relationship, from: sources) {
            (request, relationship) throws(StoreError) in
            try request.orderedDestinations(of: relationship, from: sources)
        }
    }

    private func withDestinations<R: Sendable>(
        of relationship: RelationshipID, from sources: [ManagedObjectID],
        _ body: (DestinationRequest, Relationship) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard schema.model.relationships.indices.contains(relationship.index),
            schema.model[relationship].isToMany
        else {
            throw StoreError(
                .invalidRequest, "Only a to-many refers to a list of objects. Ask the row instead.")
        }
        if let place = schema.toManyIndexes[relationship.index], !sources.isEmpty {
            pool.indexes?.need([place], on: self)
        }
        schema.counters.noteStatement()
        return try withRows { (rows) throws(StoreError) in
            let numbers = try indexNumbers(rows)
            let request = DestinationRequest(
                rows: rows, indexNumbers: numbers, scans: TableScans())
            return try body(request, schema.model[relationship])
        }
    }

    // MARK: - Queries

    func cursor(_ query: PreparedQuery) throws(StoreError) -> any StoreCursor { try walk(query) }

    func objectIDs(_ query: PreparedQuery) throws(StoreError) -> [ManagedObjectID] {
        var ids: [ManagedObjectID] = []
        try walk(query).forEachID { ids.append($0) }
        return ids
    }

    func count(_ query: PreparedQuery) throws(StoreError) -> Int {
        try walk(query).count()
    }

    /// Returns the store's preparation of a query, or prepares it now.
    func question(_ query: PreparedQuery) throws(StoreError) -> Question {
        // A preparation of another store has another model.
        guard let question = query.preparation as? Question, question.schema === schema else {
            return try Question(query.query, schema: schema)
        }
        if let cancellation = query.query.cancellation, cancellation.isCancelled {
            throw Question.cancelled
        }
        return question
    }

    private func walk(_ query: PreparedQuery) throws(StoreError) -> LMDBCursor {
        try schema.checkOpen()
        let question = try question(query)
        pool.indexes?.need(question.conditions.wantedIndexes, on: self)
        schema.counters.noteStatement()
        let run = try withRows { (rows) throws(StoreError) in
            let plan = try QueryPlanner(
                question: question, rows: rows, numbers: try indexNumbers(rows)
            ).plan()
            var reading = rows
            reading.readsFiles = question.readsFiles
            let run = Confined(try QueryRun(question, plan: plan, rows: reading))
            reader.walkCount += 1
            return run
        }
        return LMDBCursor(run, on: self)
    }
}

/// An iterator over batches of results.
final class LMDBCursor: StoreCursor {
    private let run: Confined<QueryRun>
    private let snapshot: LMDBSnapshot

    init(_ run: Confined<QueryRun>, on snapshot: LMDBSnapshot) {
        self.run = run
        self.snapshot = snapshot
    }

    deinit { snapshot.endWalk() }

    func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
        try snapshot.withRows { (_) throws(StoreError) in
            guard let batch = try run.value.next(maximumRows: max(maximumRows, 1)) else {
                return nil
            }
            snapshot.schema.counters.noteRows(batch.count)
            return batch
        }
    }

    /// Calls `body` with the IDs of the results.
    func forEachID(_ body: (ManagedObjectID) -> Void) throws(StoreError) {
        try snapshot.withRows { (_) throws(StoreError) in try run.value.forEachID(body) }
    }

    /// Returns the number of results.
    func count() throws(StoreError) -> Int {
        try snapshot.withRows { (_) throws(StoreError) in try run.value.count() }
    }
}
