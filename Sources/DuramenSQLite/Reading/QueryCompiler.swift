import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Turns a query that was accepted whole into a statement.
struct QueryCompiler {
    let core: StoreCore

    /// What the store takes of a query.
    func pushdown(for query: StoreQuery) -> Pushdown {
        Pushdown(
            splitting: query,
            accepts: { condition in
                var compiler = predicateCompiler(query)
                guard compiler.compile(condition) != nil else { return false }
                // What does not fit the model is left for the evaluator to refuse.
                let model = core.schema.model
                return !compiler.isUnchecked
                    || (try? condition.bound(to: model[query.entity], in: model)) != nil
            },
            acceptsOrder: { order in
                var compiler = predicateCompiler(query)
                return compiler.order(by: order) != nil
            })
    }

    /// How the rows of a query are read.
    func plan(for query: StoreQuery) -> ReadPlan {
        let plan =
            query.includesSubentities
            ? core.familyPlans[query.entity.index] : core.plans[query.entity.index]
        guard let slots = query.slots else { return plan }
        return ReadPlan(schema: core.schema, entities: plan.entities, slots: slots)
    }

    func rows(_ query: StoreQuery, _ plan: ReadPlan) throws(StoreError) -> CompiledSelect {
        try select(query, .rows, plan.columns, ordered: true)
    }

    /// A scan of a whole table in key order by ``RowSink``; nil when the query is another one.
    func scan(_ query: StoreQuery, _ plan: ReadPlan) -> CompiledSelect? {
        guard query.predicate == nil, query.sortDescriptors.isEmpty, !query.isWindowed,
            RowSink.takes(plan), core.schema.coversTable(plan.entities)
        else { return nil }
        return CompiledSelect(
            key: StatementKey(
                purpose: .scan, place: plan.table,
                clause: " WHERE \(RowSink.functionName)(\(plan.columns)) ORDER BY t0.Z_PK"),
            columns: "1", table: core.schema.tables[plan.table].quoted, parameters: [])
    }

    func identifiers(_ query: StoreQuery) throws(StoreError) -> CompiledSelect {
        try select(query, .identifiers, "t0.Z_PK, t0.Z_ENT", ordered: true)
    }

    func count(_ query: StoreQuery) throws(StoreError) -> CompiledSelect {
        var query = query
        query.offset = 0
        query.limit = nil
        return try select(query, .count, "COUNT(*)", ordered: false)
    }

    private func predicateCompiler(
        _ query: StoreQuery
    ) -> PredicateCompiler<AppleSchema, SQLiteDialect> {
        PredicateCompiler(mapping: core.schema, dialect: SQLiteDialect(), entity: query.entity)
    }

    private func select(
        _ query: StoreQuery, _ purpose: StatementKey.Purpose, _ columns: String, ordered: Bool
    ) throws(StoreError) -> CompiledSelect {
        let schema = core.schema
        guard schema.model.entities.indices.contains(query.entity.index) else {
            throw StoreError(.invalidRequest, "The query's entity is not in the store's model.")
        }
        let entity = schema.model[query.entity]
        var compiler = predicateCompiler(query)
        var conditions: [String] = []
        let asked = query.includesSubentities ? entity.family : [entity.id]
        if !schema.coversTable(asked) {
            let numbers = asked.map { String(schema.number(of: $0)) }.joined(separator: ", ")
            // With a condition of its own the query has a better index than that of Z_ENT.
            conditions.append("\(query.predicate == nil ? "" : "+")t0.Z_ENT IN (\(numbers))")
        }
        if let predicate = query.predicate {
            guard let condition = compiler.compile(predicate, isAccepted: true) else {
                throw refusal(entity)
            }
            conditions.append(condition)
        }
        var text = ""
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        var order = ""
        if ordered {
            guard let terms = compiler.order(by: query.sortDescriptors) else {
                throw refusal(entity)
            }
            order = " ORDER BY " + terms
            text += order
        }
        var parameters = compiler.parameters
        if query.isWindowed {
            text += " LIMIT ? OFFSET ?"
            parameters.append(.integer(Int64(query.limit ?? -1)))
            parameters.append(.integer(Int64(query.offset)))
        }
        let table = schema.table(of: entity.id)
        if purpose == .rows, compiler.joins.isEmpty, findsKeysFirst(query) {
            text = " WHERE t0.Z_PK IN (SELECT t0.Z_PK FROM \(table) AS t0\(text))\(order)"
        }
        if purpose == .rows, let slots = query.slots {
            // Statements are told apart by what follows their columns.
            text += " /* slots \(slots.slots.map(String.init).joined(separator: " ")) */"
        }
        return CompiledSelect(
            key: StatementKey(
                purpose: purpose,
                place: entity.id.index * 2 + (query.includesSubentities ? 1 : 0),
                clause: compiler.joins + text),
            columns: columns, table: table, parameters: parameters,
            comparedToOnes: compiler.comparedToOnes)
    }

    /// Whether rows are read only once the keys of those in the window are known, so that the rows before
    /// it are not read where an index has the order.
    ///
    /// The rows of the window are looked up and sorted again, which is little beside what is skipped.
    private func findsKeysFirst(_ query: StoreQuery) -> Bool {
        guard let limit = query.limit, !query.sortDescriptors.isEmpty else { return false }
        return query.offset > limit
    }

    private func refusal(_ entity: Entity) -> StoreError {
        StoreError(
            .invalidRequest,
            "The query on '\(entity.name)' has parts that the store does not answer; ask for its "
                + "pushdown and give it the pushed part.")
    }
}

/// A statement by its shape, and the values for one run.
struct CompiledSelect {
    let key: StatementKey
    let columns: String
    let table: String
    let parameters: [SQLParameter]
    /// The to-ones that an index should serve.
    var comparedToOnes: [SQLToOne] = []

    /// The statement, with a placeholder for each value.
    var sql: String { "SELECT \(columns) FROM \(table) AS t0\(key.clause)" }

    /// Takes the statement and binds the values.
    func begin(on connection: Connection) throws(StoreError) -> Statement {
        let statement = try connection.take(key) { sql }
        statement.bind(parameters)
        connection.begin(statement)
        return statement
    }

    func count(on source: RowSource) throws(StoreError) -> Int {
        let statement = try begin(on: source.connection)
        defer { source.connection.giveBack(statement) }
        let result = statement.step()
        guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
        return Int(sqlite3_column_int64(statement.handle, 0))
    }

    func identifiers(
        on source: RowSource, core: StoreCore, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [ManagedObjectID] {
        let schema = core.schema
        let statement = try begin(on: source.connection)
        var ids: [ManagedObjectID] = []
        defer { source.connection.giveBack(statement, rows: ids.count) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return ids }
            guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
            if ids.count & 511 == 0, let cancellation, cancellation.isCancelled {
                throw Cancellation.error
            }
            guard let entity = schema.entity(number: sqlite3_column_int64(statement.handle, 1))
            else {
                continue
            }
            ids.append(
                ManagedObjectID(
                    store: schema.store, entity: schema.model[entity].handle,
                    key: sqlite3_column_int64(statement.handle, 0)))
        }
    }
}

/// The error of work that was asked to stop.
enum Cancellation {
    static var error: StoreError {
        StoreError(.cancelled, "The work was cancelled before it took effect.")
    }
}
