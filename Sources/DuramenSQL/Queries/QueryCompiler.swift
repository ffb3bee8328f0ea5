import DuramenModel
package import DuramenQuery
package import DuramenStore

/// Compiles queries to statements, or finds the statements for their shape.
package struct QueryCompiler<Source: SQLQuerySource> {
    /// The compiler of the conditions.
    package typealias Predicates = PredicateCompiler<Source.Mapping, Source.Dialect>

    let source: Source

    /// Creates a compiler for a store's queries.
    package init(_ source: Source) { self.source = source }

    /// Returns the part of a query that the store evaluates.
    package func pushdown(for query: StoreQuery) -> Pushdown {
        if let bound = source.compiled.find(query, isWhole: true) {
            return .whole(query, preparation: bound)
        }
        // Conditions that each follow few to-ones may follow too many together.
        var paths: Set<[StoredText]> = []
        func joins(_ compiler: Predicates) -> Bool {
            let all = paths.union(compiler.joinedPaths)
            guard all.count <= Predicates.mostJoins else {
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
                let model = source.mapping.model
                return !compiler.isUnchecked
                    || (try? condition.bound(to: model[query.entity], in: model)) != nil
            },
            acceptsOrder: { order in
                var compiler = predicateCompiler(query)
                return compiler.order(by: order) != nil && joins(compiler)
            })
        if pushdown.residual == nil, !pushdown.needsSorting, let made = try? compile(query) {
            source.compiled.insert(made, isWhole: true)
            return .whole(query, preparation: BoundQuery(made))
        }
        return pushdown
    }

    /// Returns the plan for reading a query's rows, and its statement.
    package func rows(_ query: PreparedQuery) throws(StoreError) -> (CompiledQuery, CompiledSelect)
    {
        let bound = try bound(query)
        return (bound.compiled, bound.select(bound.compiled.texts.rows, query.query))
    }

    /// Returns the statement that selects the keys and entity numbers.
    package func identifiers(_ query: PreparedQuery) throws(StoreError) -> CompiledSelect {
        let bound = try bound(query)
        return bound.select(bound.compiled.texts.identifiers, query.query)
    }

    /// Returns the statement that counts, without the window.
    package func count(_ query: PreparedQuery) throws(StoreError) -> CompiledSelect {
        let bound = try bound(query)
        return bound.select(bound.compiled.texts.count, nil)
    }

    private func bound(_ prepared: PreparedQuery) throws(StoreError) -> BoundQuery {
        // Another store's statements have other tables.
        if let bound = prepared.preparation as? BoundQuery, bound.compiled.tables === source.tables
        {
            return bound
        }
        let query = prepared.query
        if let bound = source.compiled.find(query, isWhole: false) { return bound }
        let made = try compile(query)
        source.compiled.insert(made, isWhole: false)
        return BoundQuery(made)
    }

    /// Returns a compiler for the conditions of a query.
    package func predicateCompiler(_ query: StoreQuery) -> Predicates {
        Predicates(mapping: source.mapping, dialect: source.dialect, entity: query.entity)
    }

    /// Compiles a query that was accepted completely.
    private func compile(_ query: StoreQuery) throws(StoreError) -> CompiledQuery {
        let mapping = source.mapping
        guard mapping.model.entities.indices.contains(query.entity.index) else {
            throw StoreError(.invalidRequest, "The query's entity is not in the store's model.")
        }
        let entity = mapping.model[query.entity]
        let selection = source.selection(for: query)
        if let sink = selection.sink, query.predicate == nil, query.sortDescriptors.isEmpty,
            !query.isWindowed
        {
            return completeTable(query, selection, sink)
        }
        var compiler = predicateCompiler(query)
        let filter = try filter(query, entity, &compiler)
        let joinsOfConditions = compiler.joins
        guard let terms = compiler.order(by: query.sortDescriptors) else { throw refusal(entity) }
        let order = " ORDER BY " + terms
        let table = mapping.table(of: entity.id)
        let from = " FROM \(table) AS t0\(compiler.joins)"
        let keys = "\(from)\(filter)\(order)\(window(of: query, after: compiler.parameters.count))"
        let key = "t0.\(mapping.keyColumn)"
        let isKeysFirst = compiler.joins.isEmpty && query.findsKeysFirst
        return CompiledQuery(
            query, source, selection,
            CompiledQuery.Texts(
                rows: text(
                    isKeysFirst
                        ? "SELECT \(selection.columns)\(from) WHERE \(key) IN (SELECT \(key)\(keys))"
                            + order : "SELECT \(selection.columns)\(keys)"),
                identifiers: text("SELECT \(key), t0.\(mapping.entityColumn)\(keys)"),
                count: text("SELECT COUNT(*) FROM \(table) AS t0\(joinsOfConditions)\(filter)")),
            compiler)
    }

    /// The statements of a complete table in the order of its keys.
    private func completeTable(
        _ query: StoreQuery, _ selection: SQLSelection, _ sink: String
    ) -> CompiledQuery {
        let mapping = source.mapping
        let from = " FROM \(mapping.table(of: query.entity)) AS t0"
        let key = "t0.\(mapping.keyColumn)"
        return CompiledQuery(
            query, source, selection, usesSink: true,
            CompiledQuery.Texts(
                rows: text("SELECT 1\(from) WHERE \(sink) ORDER BY \(key)"),
                identifiers: text(
                    "SELECT \(key), t0.\(mapping.entityColumn)\(from) ORDER BY \(key)"),
                count: text("SELECT COUNT(*)\(from)")))
    }

    private func window(of query: StoreQuery, after count: Int) -> String {
        if !query.isWindowed { return "" }
        let marks = (1...2).map { source.dialect.placeholder(count + $0, .bigint) }
        return " LIMIT \(marks[0]) OFFSET \(marks[1])"
    }

    /// `WHERE …` for the rows of a query; empty for a complete table.
    func filter(
        _ query: StoreQuery, _ entity: Entity, _ compiler: inout Predicates
    ) throws(StoreError) -> String {
        let mapping = source.mapping
        var conditions: [String] = []
        let asked = query.includesSubentities ? entity.family : [entity.id]
        if !mapping.coversTable(asked) {
            let numbers = asked.map { String(mapping.number(of: $0)) }.joined(separator: ", ")
            let column = "t0.\(mapping.entityColumn)"
            // With another condition, the query has a better index than that of the entity.
            let kind = query.predicate == nil ? column : source.dialect.hint(column)
            conditions.append("\(kind) IN (\(numbers))")
        }
        if let predicate = query.predicate {
            guard let condition = compiler.compile(predicate, isAccepted: true) else {
                throw refusal(entity)
            }
            conditions.append(condition)
        }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    /// The condition for a statement that changes the rows of a query, and the compiler with its
    /// parameters; nil when the condition needs more than the table of the rows.
    package func filter(
        _ query: StoreQuery
    ) throws(StoreError) -> (text: String, compiler: Predicates)? {
        var compiler = predicateCompiler(query)
        let text = try filter(query, source.mapping.model[query.entity], &compiler)
        return compiler.joins.isEmpty ? (text, compiler) : nil
    }

    func text(_ sql: String) -> StatementText {
        StatementText(number: source.compiled.number(of: sql), sql: sql)
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
