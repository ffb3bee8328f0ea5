import DuramenModel
import DuramenStore

/// A request for rows by their IDs.
struct RowRequest {
    let ids: [ManagedObjectID]
    let core: StoreCore

    /// - Parameters:
    ///   - source: The connection.
    ///   - limit: The largest number of bytes of all rows.
    /// - Throws: `.tooLarge` when they take more.
    func rows(
        from source: RowSource, limit: Int = RowAnswerLimit.mostBytes
    ) throws(StoreError) -> RowBatch {
        let schema = core.schema
        if ids.isEmpty { return .empty }
        // The common request, ascending keys of one entity, needs no second copy.
        if let table = tableOfAscendingKeys() {
            var builder = RowBatchBuilder(capacity: ids.count * 160)
            try source.addRows(keys: ids.map(\.key), table: table, into: &builder, limit: limit)
            let batch = builder.finish()
            if isExact(batch) { return batch }
            return try inOrder([batch], [table], limit)
        }
        var keys: [Int: [Int64]] = [:]
        for id in ids {
            guard let entity = entity(of: id) else { continue }
            keys[schema.tableIndexes[entity.index], default: []].append(id.key)
        }
        var batches: [RowBatch] = []
        var tables: [Int] = []
        for (table, list) in keys.sorted(by: { $0.key < $1.key }) {
            var builder = RowBatchBuilder(capacity: list.count * 160)
            try source.addRows(
                keys: Self.ascending(list), table: table, into: &builder, limit: limit)
            batches.append(builder.finish())
            tables.append(table)
        }
        return try inOrder(batches, tables, limit)
    }

    private func entity(of id: ManagedObjectID) -> EntityID? {
        guard id.store == core.schema.store, id.key > 0 else { return nil }
        return core.schema.model.entity(for: id.entityHandle)?.id
    }

    private func tableOfAscendingKeys() -> Int? {
        guard let first = entity(of: ids[0]) else { return nil }
        var last: Int64 = 0
        let handle = ids[0].entityHandle
        let store = ids[0].store
        for id in ids {
            guard id.key > last, id.entityHandle == handle, id.store == store else { return nil }
            last = id.key
        }
        return core.schema.entities[first.index].table
    }

    /// Whether every row has the requested entity; they are already in order.
    private func isExact(_ batch: RowBatch) -> Bool {
        guard let entity = entity(of: ids[0]) else { return false }
        return batch.allSatisfy { $0.entityID == entity }
    }

    private static func ascending(_ keys: [Int64]) -> [Int64] {
        var result: [Int64] = []
        result.reserveCapacity(keys.count)
        for key in keys.sorted() where key != result.last { result.append(key) }
        return result
    }

    /// Copies rows into the order of the request, repeated rows as often as requested.
    private func inOrder(
        _ batches: [RowBatch], _ tables: [Int], _ limit: Int
    ) throws(StoreError) -> RowBatch {
        let schema = core.schema
        var places: [[Int64: Row]] = []
        for batch in batches {
            var rows: [Int64: Row] = [:]
            rows.reserveCapacity(batch.count)
            for row in batch { rows[row.key] = row }
            places.append(rows)
        }
        var builder = RowBatchBuilder(capacity: ids.count * 160)
        for id in ids {
            guard let entity = entity(of: id),
                let place = tables.firstIndex(of: schema.tableIndexes[entity.index]),
                let row = places[place][id.key], row.entityID == entity
            else { continue }
            builder.append(row, layout: schema.model[entity].layout, version: row.version)
            try builder.check(limit: limit)
        }
        return builder.finish()
    }
}
