import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Reads rows and relationships within the transaction of a connection.
final class RowReading: DerivationSource {
    let core: StoreCore
    let connection: Connection
    private let limits: RunLimits
    private let readsMuch: Bool

    /// - Parameter readsMuch: Whether much is read together, which may fail where less would not.
    init(
        _ core: StoreCore, _ connection: Connection, _ limits: RunLimits = .none,
        readsMuch: Bool = false
    ) {
        self.core = core
        self.connection = connection
        self.limits = limits
        self.readsMuch = readsMuch
    }

    /// Runs a statement.
    func run(
        _ statement: Statement, _ parameters: [Parameter]
    ) throws(StoreError) -> ResultSet {
        if isExposed {
            var pipeline = Pipeline()
            pipeline.add(statement, parameters)
            guard let result = try runGuarded(pipeline).first else { throw core.damagedState }
            return result
        }
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            return try connection.run(statement, parameters, limits)
        } catch {
            throw core.error(error, "read")
        }
    }

    /// Runs a statement that is not worth preparing.
    @discardableResult
    func runText(
        _ text: String, _ parameters: [Parameter] = []
    ) throws(StoreError) -> ResultSet {
        try run(Statement(text, prepared: false), parameters)
    }

    /// Runs statements without parameters in one round trip.
    func runTexts(_ texts: [String]) throws(StoreError) {
        var pipeline = Pipeline()
        for text in texts { pipeline.add(text, prepared: false) }
        try run(pipeline)
    }

    /// Runs statements in one round trip, and returns the failure of one of them.
    func failure(of pipeline: Pipeline) throws(StoreError) -> PostgresFailure? {
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            _ = try connection.run(pipeline, limits)
            return nil
        } catch {
            if error.cause != .refused || connection.isBroken {
                throw core.error(error, "write to")
            }
            return error
        }
    }

    /// The same connection for the tables of another schema.
    func reading(_ core: StoreCore) -> RowReading { RowReading(core, connection, limits) }

    /// Runs statements in one round trip.
    @discardableResult
    func run(_ pipeline: Pipeline) throws(StoreError) -> [ResultSet] {
        if isExposed { return try runGuarded(pipeline) }
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            return try connection.run(pipeline, limits)
        } catch {
            throw core.error(error, "read")
        }
    }

    /// Runs statements so that a failure leaves the state to its other readers.
    ///
    /// - Parameters:
    ///   - pipeline: The statements.
    ///   - again: Makes the statements of a second attempt, if there has to be one; by default they
    ///     are the same.
    ///   - taking: Receives each result with the number of its statement, while the server goes on.
    func runGuarded(
        _ pipeline: Pipeline, again: (() -> Pipeline)? = nil,
        taking: @escaping (Int, ResultSet) -> Void = { _, _ in }
    ) throws(StoreError) -> [ResultSet] {
        do throws(PostgresFailure) {
            return try runOnce(pipeline, taking)
        } catch {
            // Nobody asked for it: the request was for an earlier run of this connection.
            guard error.sqlState == "57014", connection.wasCancelled,
                limits.cancellation?.isCancelled != true
            else { throw core.error(error, "read") }
        }
        do throws(PostgresFailure) {
            try connection.recover(.recovery)
            return try runOnce(again?() ?? pipeline, taking)
        } catch {
            throw core.error(error, "read")
        }
    }

    private func runOnce(
        _ pipeline: Pipeline, _ taking: @escaping (Int, ResultSet) -> Void
    ) throws(PostgresFailure) -> [ResultSet] {
        core.counters.noteStatement()
        var guarded = Pipeline()
        guarded.add(Statement.savepoint)
        for item in pipeline.items { guarded.add(item.statement, item.parameters) }
        guarded.add(Statement.releaseSavepoint)
        do throws(PostgresFailure) {
            let results = try connection.run(guarded, limits) { index, result in
                if (1...pipeline.count).contains(index) { taking(index - 1, result) }
            }
            return Array(results.dropFirst().dropLast())
        } catch {
            // The next reader pays for it, if there is one.
            connection.needsRecovery = true
            throw error
        }
    }

    /// Whether a statement may fail that others of the transaction need not share: a late request
    /// to cancel an earlier run may still come, a time-out may pass, or too much is read.
    private var isExposed: Bool {
        limits.keepsConnection
            && (connection.wasCancelled || limits.deadline != nil || readsMuch)
    }

    // MARK: - Rows

    func rows(for ids: [ManagedObjectID]) throws(StoreError) -> RowBatch {
        try rows(for: ids, limit: RowAnswerLimit.mostBytes)
    }

    /// - Parameters:
    ///   - ids: The IDs, in the order of the result.
    ///   - limit: The largest number of bytes of all rows.
    /// - Throws: `.tooLarge` when they take more.
    func rows(for ids: [ManagedObjectID], limit: Int) throws(StoreError) -> RowBatch {
        let request = RowRequest(
            ids: ids, model: core.model, store: core.schema.store, tables: core.tableIndexes)
        return try request.rows(limit: limit) { (keys, table, builder) throws(StoreError) in
            let (statement, parameter) = core.statements.reading.rows(table, keys)
            let result = try run(statement, [parameter])
            try add(result, core.tablePlans[table], to: &builder, limit)
        }
    }

    /// Adds all rows of a result to a builder.
    private func add(
        _ result: ResultSet, _ plan: RowPlan, to builder: inout RowBatchBuilder, _ limit: Int
    ) throws(StoreError) {
        let decoder = RowDecoder(plan: plan, core: core)
        let count = builder.count
        for row in 0..<result.rowCount {
            try decoder.add(row, of: result, to: &builder)
            try builder.check(limit: limit)
        }
        core.counters.noteRows(builder.count - count)
    }

    // MARK: - Relationships

    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        try destinations(of: relationship.id, from: [id]).first ?? []
    }

    /// Returns one list per source, each in ascending order of IDs.
    func destinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try lists(relationship, sources) { id, _, _ in id }
    }

    /// Returns one list per source, each by order number.
    func orderedDestinations(
        of relationship: RelationshipID, from sources: [ManagedObjectID]
    ) throws(StoreError) -> [[OrderedDestination]] {
        try lists(relationship, sources) { id, result, row in
            OrderedDestination(id, order: result.int64(row, 4))
        }.map { $0.sorted() }
    }

    private func lists<Element>(
        _ relationship: RelationshipID, _ sources: [ManagedObjectID],
        _ element: (ManagedObjectID, ResultSet, Int) -> Element
    ) throws(StoreError) -> [[Element]] {
        let model = core.model
        guard model.relationships.indices.contains(relationship.index),
            model[relationship].isToMany
        else {
            throw StoreError(
                .invalidRequest, "Only a to-many refers to a list of objects. Ask the row instead.")
        }
        var result = [[Element]](repeating: [], count: sources.count)
        let owners = DestinationSources(
            sources, owner: model[relationship].declaringEntity, model: model,
            store: core.schema.store)
        if owners.keys.isEmpty { return result }
        var lists: [Int64: (owner: EntityHandle, members: [Element])] = [:]
        let rows = try run(
            core.statements.reading.destinations(relationship, owners.keys.count),
            [.bigints(owners.keys)]
        )
        for row in 0..<rows.rowCount {
            guard let key = rows.int64(row, 0), let owner = core.entity(rows.int64(row, 1)),
                let id = core.id(rows, row, key: 2, entity: 3)
            else { continue }
            lists[key, default: (owner.handle, [])].members.append(element(id, rows, row))
        }
        core.counters.noteRows(rows.rowCount)
        for place in owners.places {
            guard let list = lists[sources[place].key], list.owner == sources[place].entityHandle
            else { continue }
            result[place] = list.members
        }
        return result
    }
}

extension StoreCore {
    /// The entity with a number; nil if the model has none.
    func entity(_ number: Int64?) -> Entity? {
        number.flatMap(schema.entity(number:)).map { model[$0] }
    }

    /// The ID in two columns of a result; nil for null, or an entity that the model does not have.
    func id(_ result: ResultSet, _ row: Int, key: Int, entity: Int) -> ManagedObjectID? {
        guard let key = result.int64(row, key), let entity = self.entity(result.int64(row, entity))
        else { return nil }
        return ManagedObjectID(store: schema.store, entity: entity.handle, key: key)
    }
}
