import DuramenModel
package import DuramenQuery
package import DuramenStore

/// `SELECT COUNT(*), keys, aggregates … GROUP BY keys`.
package struct GroupStatement: Sendable {
    /// The statement; its first column is the number of rows.
    ///
    /// Without keys there is one row even for no rows.
    package let select: CompiledSelect
    /// The keys; their columns follow the number of rows.
    package let keys: [SQLGroupColumn]
    /// The aggregates; their columns follow those of the keys.
    package let aggregates: [SQLGroupColumn]

    // SQLite allows 2 000 columns (SQLITE_MAX_COLUMN), PostgreSQL 1 664 (MaxTupleAttributeNumber).
    private static var mostColumns: Int { 1_000 }

    /// Compiles a query for groups; nil if the engine might form other groups, or cannot compute an
    /// aggregate.
    package init?<Source: SQLQuerySource>(
        _ query: GroupQuery, _ source: Source
    ) throws(StoreError) {
        let compiler = QueryCompiler(source)
        let entity = source.mapping.model[query.rows.entity]
        var predicates = compiler.predicateCompiler(query.rows)
        let filter = try compiler.filter(query.rows, entity, &predicates)
        var keys: [SQLGroupColumn] = []
        for expression in query.keys {
            guard let key = predicates.groupKey(expression) else { return nil }
            keys.append(key)
        }
        var aggregates: [SQLGroupColumn] = []
        for aggregate in query.aggregates {
            guard let column = predicates.groupAggregate(aggregate) else { return nil }
            aggregates.append(column)
        }
        let columns = ["COUNT(*)"] + (keys + aggregates).flatMap(\.columns)
        if columns.count > Self.mostColumns { return nil }
        var sql = "SELECT \(columns.joined(separator: ", "))"
        sql += " FROM \(source.mapping.table(of: entity.id)) AS t0\(predicates.joins)\(filter)"
        if !keys.isEmpty { sql += " GROUP BY \(keys.flatMap(\.terms).joined(separator: ", "))" }
        self.keys = keys
        self.aggregates = aggregates
        select = CompiledSelect(
            text: compiler.text(sql), parameters: predicates.parameters, types: predicates.types,
            comparedToOnes: predicates.comparedToOnes)
    }
}
