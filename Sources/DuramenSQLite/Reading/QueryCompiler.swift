import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Compiles queries to statements, or finds the statements for their shape.
struct QueryCompiler {
    let core: StoreCore

    /// Returns the part of a query that the store evaluates.
    func pushdown(for query: StoreQuery) -> Pushdown {
        if let bound = core.compiled.find(query, isWhole: true) {
            return .whole(query, preparation: bound)
        }
        // Conditions that each follow few to-ones may follow too many together.
        var paths: Set<[StoredText]> = []
        func joins(_ compiler: PredicateCompiler<AppleSchema, SQLiteDialect>) -> Bool {
            let all = paths.union(compiler.joinedPaths)
            guard all.count <= PredicateCompiler<AppleSchema, SQLiteDialect>.mostJoins else {
                return false
            }
            paths = all
            return true
        }
        let pushdown = Pushdown(
            splitting: query,
            accepts: { condition in
                var compiler = predicateCompiler(query)
                guard compiler.compile(condition) != nil, joins(compiler) else { return false }
                // A condition that does not fit the model is left for the evaluator to reject.
                let model = core.schema.model
                return !compiler.isUnchecked
                    || (try? condition.bound(to: model[query.entity], in: model)) != nil
            },
            acceptsOrder: { order in
                var compiler = predicateCompiler(query)
                return compiler.order(by: order) != nil && joins(compiler)
            })
        if pushdown.residual == nil, !pushdown.needsSorting, let made = try? compile(query) {
            core.compiled.insert(made, isWhole: true)
            return .whole(query, preparation: BoundQuery(made, nil))
        }
        return pushdown
    }

    /// Returns the plan for reading a query's rows, and its statement.
    func rows(_ query: PreparedQuery) throws(StoreError) -> (CompiledQuery, CompiledSelect) {
        let bound = try bound(query)
        return (bound.compiled, bound.select(bound.compiled.rows, query.query))
    }

    func identifiers(_ query: PreparedQuery) throws(StoreError) -> CompiledSelect {
        let bound = try bound(query)
        return bound.select(bound.compiled.identifiers, query.query)
    }

    /// Returns the statement that counts, without the window.
    func count(_ query: PreparedQuery) throws(StoreError) -> CompiledSelect {
        let bound = try bound(query)
        return bound.select(bound.compiled.count, nil)
    }

    private func bound(_ prepared: PreparedQuery) throws(StoreError) -> BoundQuery {
        // Another store's statements have other tables.
        if let bound = prepared.preparation as? BoundQuery, bound.compiled.schema === core.schema {
            return bound
        }
        let query = prepared.query
        if let bound = core.compiled.find(query, isWhole: false) { return bound }
        let made = try compile(query)
        core.compiled.insert(made, isWhole: false)
        return BoundQuery(made, nil)
    }

    func predicateCompiler(
        _ query: StoreQuery
    ) -> PredicateCompiler<AppleSchema, SQLiteDialect> {
        PredicateCompiler(mapping: core.schema, dialect: SQLiteDialect(), entity: query.entity)
    }

    /// Compiles a query that was accepted completely.
    private func compile(_ query: StoreQuery) throws(StoreError) -> CompiledQuery {
        let schema = core.schema
        guard schema.model.entities.indices.contains(query.entity.index) else {
            throw StoreError(.invalidRequest, "The query's entity is not in the store's model.")
        }
        let entity = schema.model[query.entity]
        let plan = plan(for: query)
        let table = schema.table(of: entity.id)
        if query.predicate == nil, query.sortDescriptors.isEmpty, !query.isWindowed,
            RowSink.takes(plan), schema.coversTable(plan.entities)
        {
            // A complete table in the order of its keys.
            let order = " FROM \(table) AS t0 ORDER BY t0.Z_PK"
            let sink = "\(RowSink.functionName)(\(plan.columns))"
            return CompiledQuery(
                query, schema, plan: plan, usesSink: true,
                rows: text("SELECT 1 FROM \(table) AS t0 WHERE \(sink) ORDER BY t0.Z_PK"),
                identifiers: text("SELECT t0.Z_PK, t0.Z_ENT\(order)"),
                count: text("SELECT COUNT(*) FROM \(table) AS t0"))
        }
        var compiler = predicateCompiler(query)
        let filter = try filter(query, entity, &compiler)
        let joinsOfConditions = compiler.joins
        guard let terms = compiler.order(by: query.sortDescriptors) else { throw refusal(entity) }
        let order = " ORDER BY " + terms
        let source = " FROM \(table) AS t0\(compiler.joins)"
        let next = compiler.parameters.count + 1
        let window = query.isWindowed ? " LIMIT ?\(next) OFFSET ?\(next + 1)" : ""
        let keys = "\(source)\(filter)\(order)\(window)"
        let isKeysFirst = compiler.joins.isEmpty && query.findsKeysFirst
        return CompiledQuery(
            query, schema, plan: plan, usesSink: false,
            rows: text(
                isKeysFirst
                    ? "SELECT \(plan.columns)\(source) WHERE t0.Z_PK IN (SELECT t0.Z_PK\(keys))"
                        + order : "SELECT \(plan.columns)\(keys)"),
            identifiers: text("SELECT t0.Z_PK, t0.Z_ENT\(keys)"),
            count: text("SELECT COUNT(*) FROM \(table) AS t0\(joinsOfConditions)\(filter)"),
            compiler)
    }

    /// `WHERE …` for the rows of a query; empty for a complete table.
    func filter(
        _ query: StoreQuery, _ entity: Entity,
        _ compiler: inout PredicateCompiler<AppleSchema, SQLiteDialect>
    ) throws(StoreError) -> String {
        let schema = core.schema
        var conditions: [String] = []
        let asked = query.includesSubentities ? entity.family : [entity.id]
        if !schema.coversTable(asked) {
            let numbers = asked.map { String(schema.number(of: $0)) }.joined(separator: ", ")
            // With another condition, the query has a better index than that of Z_ENT.
            conditions.append("\(query.predicate == nil ? "" : "+")t0.Z_ENT IN (\(numbers))")
        }
        if let predicate = query.predicate {
            guard let condition = compiler.compile(predicate, isAccepted: true) else {
                throw refusal(entity)
            }
            conditions.append(condition)
        }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    func text(_ sql: String) -> StatementText {
        StatementText(number: core.compiled.number(of: sql), sql: sql)
    }

    /// The plan for reading the rows of a query.
    private func plan(for query: StoreQuery) -> ReadPlan {
        let plan =
            query.includesSubentities
            ? core.familyPlans[query.entity.index] : core.plans[query.entity.index]
        guard let slots = query.slots else { return plan }
        return ReadPlan(
            schema: core.schema, entities: plan.entities, slots: slots,
            readsVersions: query.needsVersions, core.checksums)
    }

    private func refusal(_ entity: Entity) -> StoreError {
        StoreError(
            .invalidRequest,
            "The query on '\(entity.name)' has parts that the store does not answer; ask for its "
                + "pushdown and give it the pushed part.")
    }
}

extension StoreQuery {
    /// Whether the keys in the window are found first, and only then their rows. With an index for
    /// the order, the rows before the window are then not read.
    ///
    /// The rows of the window are looked up and sorted again, which costs little compared with the
    /// skipped ones.
    var findsKeysFirst: Bool {
        guard let limit, !sortDescriptors.isEmpty else { return false }
        return offset > limit
    }
}
