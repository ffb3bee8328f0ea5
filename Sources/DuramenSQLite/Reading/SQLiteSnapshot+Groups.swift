import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

extension SQLiteSnapshot: AggregatingSnapshot {
    func groups(of query: GroupQuery) throws(StoreError) -> [GroupValues]? {
        try core.checkUsable()
        guard let grouping = try GroupStatement(query, core) else { return nil }
        need(grouping.select)
        return try withSource { (source) throws(StoreError) in
            try grouping.groups(on: source, core: core, query.rows.cancellation)
        }
    }
}

extension GroupStatement {
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
        for _ in aggregates {
            values.aggregates.append(boxed(columns, place))
            place += 1
        }
        return values
    }

    private func boxed(_ columns: StatementColumns, _ place: Int32) -> QueryValue {
        BoxedValue.decode(columns.bytes(place)) ?? .null
    }
}
