import DuramenModel
import DuramenSQL
import DuramenStore

extension RowRequest {
    init(ids: [ManagedObjectID], core: StoreCore) {
        let schema = core.schema
        self.init(
            ids: ids, model: schema.model, store: schema.store, tables: schema.tableIndexes)
    }

    /// Returns the rows in the order of the request.
    ///
    /// - Parameters:
    ///   - source: The connection.
    ///   - limit: The largest number of bytes of all rows.
    /// - Throws: `.tooLarge` when they take more.
    func rows(
        from source: RowSource, limit: Int = RowAnswerLimit.mostBytes
    ) throws(StoreError) -> RowBatch {
        try rows(limit: limit) { (keys, table, builder) throws(StoreError) in
            try source.addRows(keys: keys, table: table, into: &builder, limit: limit)
        }
    }
}
