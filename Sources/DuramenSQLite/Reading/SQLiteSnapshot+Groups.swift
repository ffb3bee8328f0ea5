import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension SQLiteSnapshot: AggregatingSnapshot {
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        try core.checkUsable()
        guard let grouping = try GroupStatement(query, core: core) else { return nil }
        need(grouping.select)
        return try withSource { (source) throws(StoreError) in
            try grouping.groups(on: source, core: core, query.rows.cancellation)
        }
    }
}

/// `SELECT COUNT(*), keys, aggregates … GROUP BY keys`.
private struct GroupStatement {
    let select: CompiledSelect
    private let keys: [SQLGroupColumn]
    private let aggregateCount: Int

    /// Nil if the engine might form other groups, or cannot compute an aggregate.
    init?(_ query: GroupQuery, core: StoreCore) throws(StoreError) {
        let compiler = QueryCompiler(core: core)
        let entity = core.schema.model[query.rows.entity]
        var predicates = compiler.predicateCompiler(query.rows)
        let filter = try compiler.filter(query.rows, entity, &predicates)
        var columns = ["COUNT(*)"]
        var keys: [SQLGroupColumn] = []
        for expression in query.keys {
            guard let key = predicates.groupKey(expression) else { return nil }
            keys.append(key)
            columns += key.columns
        }
        for aggregate in query.aggregates {
            guard let aggregate = predicates.groupAggregate(aggregate) else { return nil }
            columns += aggregate.columns
        }
        // SQLite allows 2 000 columns (SQLITE_MAX_COLUMN).
        if columns.count > 1_000 { return nil }
        var sql = "SELECT \(columns.joined(separator: ", "))"
        sql += " FROM \(core.schema.table(of: entity.id)) AS t0\(predicates.joins)\(filter)"
        if !keys.isEmpty { sql += " GROUP BY \(keys.flatMap(\.terms).joined(separator: ", "))" }
        self.keys = keys
        aggregateCount = query.aggregates.count
        select = CompiledSelect(
            text: compiler.text(sql), parameters: predicates.parameters,
            comparedToOnes: predicates.comparedToOnes)
    }

    func groups(
        on source: RowSource, core: StoreCore, _ cancellation: CancellationFlag?
    ) throws(StoreError) -> [GroupValues] {
        var groups: [GroupValues] = []
        let statement = try select.begin(on: source.connection)
        defer { source.connection.giveBack(statement, rows: groups.count) }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return groups }
            guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
            if groups.count & 511 == 0, let cancellation, cancellation.isCancelled {
                throw Cancellation.error
            }
            // Without keys there is one row even for no rows.
            if keys.isEmpty, sqlite3_column_int64(statement.handle, 0) == 0 { return groups }
            groups.append(group(StatementColumns(statement: statement.handle), core.schema))
        }
    }

    private func group(_ columns: StatementColumns, _ schema: AppleSchema) -> GroupValues {
        var values = GroupValues(keys: [], aggregates: [])
        var place: Int32 = 1
        for key in keys {
            if key.form == .object {
                let entity = schema.entity(number: columns.integer(place + 1))
                values.keys.append(
                    entity.map {
                        .objectID(
                            ManagedObjectID(
                                store: schema.store, entity: schema.model[$0].handle,
                                key: columns.integer(place)))
                    } ?? .null)
            } else {
                values.keys.append(boxed(columns, place).scalar)
            }
            place += Int32(key.columns.count)
        }
        for _ in 0..<aggregateCount {
            values.aggregates.append(boxed(columns, place))
            place += 1
        }
        return values
    }

    private func boxed(_ columns: StatementColumns, _ place: Int32) -> QueryValue {
        BoxedValue.decode(columns.bytes(place)) ?? .null
    }
}
