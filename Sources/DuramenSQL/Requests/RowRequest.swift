package import DuramenModel
package import DuramenStore

/// A request for rows by their IDs.
package struct RowRequest {
    private let ids: [ManagedObjectID]
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let tables: [Int]

    /// Adds the rows with keys of one table to a builder. The keys ascend and are distinct.
    ///
    /// It throws `.tooLarge` when the rows take more bytes than the limit.
    package typealias Adding = (
        _ keys: [Int64], _ table: Int, inout RowBatchBuilder
    ) throws(StoreError) -> Void

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - ids: The IDs, in any order, which may repeat.
    ///   - model: The model.
    ///   - store: The store.
    ///   - tables: A number for the table of each entity, by the entity's index.
    package init(
        ids: [ManagedObjectID], model: ManagedObjectModel, store: StoreHandle, tables: [Int]
    ) {
        self.ids = ids
        self.model = model
        self.store = store
        self.tables = tables
    }

    /// Returns the rows in the order of the IDs, repeated rows as often as requested. Unknown IDs
    /// are left out.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes of all rows.
    ///   - addRows: Adds the rows of one table, in the order of their keys.
    /// - Throws: `.tooLarge` when they take more.
    package func rows(limit: Int, _ addRows: Adding) throws(StoreError) -> RowBatch {
        if ids.isEmpty { return .empty }
        // The common request, ascending keys of one entity, needs no second copy.
        if let table = tableOfAscendingKeys() {
            var builder = RowBatchBuilder(capacity: ids.count * 160)
            try addRows(ids.map(\.key), table, &builder)
            let batch = builder.finish()
            if isExact(batch) { return batch }
            return try inOrder([batch], [table], limit)
        }
        var keys: [Int: [Int64]] = [:]
        for id in ids {
            guard let entity = entity(of: id) else { continue }
            keys[tables[entity.index], default: []].append(id.key)
        }
        var batches: [RowBatch] = []
        var read: [Int] = []
        for (table, list) in keys.sorted(by: { $0.key < $1.key }) {
            var builder = RowBatchBuilder(capacity: list.count * 160)
            try addRows(Self.ascending(list), table, &builder)
            batches.append(builder.finish())
            read.append(table)
        }
        return try inOrder(batches, read, limit)
    }

    private func entity(of id: ManagedObjectID) -> EntityID? {
        guard id.store == store, id.key > 0 else { return nil }
        return model.entity(for: id.entityHandle)?.id
    }

    private func tableOfAscendingKeys() -> Int? {
        guard let first = entity(of: ids[0]) else { return nil }
        var last: Int64 = 0
        let handle = ids[0].entityHandle
        for id in ids {
            guard id.key > last, id.entityHandle == handle, id.store == store else { return nil }
            last = id.key
        }
        return tables[first.index]
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
        _ batches: [RowBatch], _ read: [Int], _ limit: Int
    ) throws(StoreError) -> RowBatch {
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
                let place = read.firstIndex(of: tables[entity.index]),
                let row = places[place][id.key], row.entityID == entity
            else { continue }
            builder.append(row, layout: model[entity].layout, version: row.version)
            try builder.check(limit: limit)
        }
        return builder.finish()
    }
}
