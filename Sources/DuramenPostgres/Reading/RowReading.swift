import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore

/// Reads rows and relationships within the transaction of a connection.
final class RowReading: DerivationSource {
    let core: StoreCore
    private let connection: Connection
    private let limits: RunLimits

    init(_ core: StoreCore, _ connection: Connection, _ limits: RunLimits = .none) {
        self.core = core
        self.connection = connection
        self.limits = limits
    }

    /// Runs a statement.
    func run(
        _ statement: Statement, _ parameters: [Parameter]
    ) throws(StoreError) -> ResultSet {
        core.counters.noteStatement()
        do throws(PostgresFailure) {
            return try connection.run(statement, parameters, limits)
        } catch {
            throw core.error(error, "read")
        }
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
        if ids.isEmpty { return .empty }
        var keys: [Int: [Int64]] = [:]
        var order: [Int] = []
        for id in ids {
            guard let entity = entity(of: id) else { continue }
            let table = core.schema.entities[entity.index].table
            if keys[table] == nil { order.append(table) }
            keys[table, default: []].append(id.key)
        }
        var batches: [Int: RowBatch] = [:]
        for table in order {
            batches[table] = try rows(table, keys[table] ?? [], limit)
        }
        if order.count == 1, let batch = batches[order[0]], isExact(batch, ids) { return batch }
        return try inOrder(ids, batches, limit)
    }

    private func entity(of id: ManagedObjectID) -> EntityID? {
        guard id.store == core.schema.store, id.key > 0 else { return nil }
        return core.model.entity(for: id.entityHandle)?.id
    }

    private func rows(
        _ table: Int, _ keys: [Int64], _ limit: Int
    ) throws(StoreError) -> RowBatch {
        let plan = core.tablePlans[table]
        let result: ResultSet
        if keys.count == 1 {
            result = try run(core.texts.row[table], [.bigint(keys[0])])
        } else {
            result = try run(core.texts.rows(table, keys.count), [.bigints(keys)])
        }
        return try decode(result, plan, limit)
    }

    /// Decodes all rows of a result.
    func decode(
        _ result: ResultSet, _ plan: RowPlan, _ limit: Int = RowAnswerLimit.mostBytes
    ) throws(StoreError) -> RowBatch {
        let decoder = RowDecoder(plan: plan, core: core)
        var builder = RowBatchBuilder(
            capacity: min(result.rowCount * 160, RowBatchSize.mostReservedBytes),
            rows: result.rowCount)
        for row in 0..<result.rowCount {
            try decoder.add(row, of: result, to: &builder)
            if builder.byteCount > limit { throw Self.tooLarge }
        }
        core.counters.noteRows(builder.count)
        return builder.finish()
    }

    private static var tooLarge: StoreError {
        StoreError(
            .tooLarge,
            "The requested rows take more memory than one answer may; request fewer at a time.")
    }

    /// Whether the rows are exactly the requested ones, in their order.
    private func isExact(_ batch: RowBatch, _ ids: [ManagedObjectID]) -> Bool {
        guard batch.count <= ids.count else { return false }
        var place = 0
        for row in batch {
            while place < ids.count, ids[place].key < row.key { place += 1 }
            guard place < ids.count, ids[place].key == row.key,
                ids[place] == row.objectID(in: core.model, store: core.schema.store)
            else { return false }
            place += 1
        }
        return zip(ids, ids.dropFirst()).allSatisfy { $0.key < $1.key }
    }

    /// Copies rows into the order of the request, repeated rows as often as requested.
    private func inOrder(
        _ ids: [ManagedObjectID], _ batches: [Int: RowBatch], _ limit: Int
    ) throws(StoreError) -> RowBatch {
        var places: [ManagedObjectID: Row] = [:]
        for row in batches.values.joined() {
            places[row.objectID(in: core.model, store: core.schema.store)] = row
        }
        var builder = RowBatchBuilder(
            capacity: min(ids.count * 160, RowBatchSize.mostReservedBytes))
        for id in ids {
            guard let row = places[id] else { continue }
            builder.append(row, layout: core.model[row.entityID].layout, version: row.version)
            if builder.byteCount > limit { throw Self.tooLarge }
        }
        return builder.finish()
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
            OrderedDestination(
                id, order: result.columnCount > 4 ? result.int64(row, 4) : nil)
        }.map { $0.sorted() }
    }

    private func lists<Element>(
        _ relationship: RelationshipID, _ sources: [ManagedObjectID],
        _ element: (ManagedObjectID, ResultSet, Int) -> Element
    ) throws(StoreError) -> [[Element]] {
        let schema = core.schema
        guard core.model.relationships.indices.contains(relationship.index),
            core.model[relationship].isToMany
        else {
            throw StoreError(
                .invalidRequest, "Only a to-many refers to a list of objects. Ask the row instead.")
        }
        let family = Set(core.model[core.model[relationship].declaringEntity].family)
        var places: [Int64: [Int]] = [:]
        for (place, id) in sources.enumerated() {
            guard let entity = entity(of: id), family.contains(entity) else { continue }
            places[id.key, default: []].append(place)
        }
        var lists = [[Element]](repeating: [], count: sources.count)
        if places.isEmpty { return lists }
        let statement = core.texts.destinations(of: relationship, schema, places.count)
        let result = try run(statement, [.bigints(places.keys.sorted())])
        for row in 0..<result.rowCount {
            guard let key = result.int64(row, 0), let owner = result.int32(row, 1),
                let destination = result.int64(row, 2), let number = result.int32(row, 3),
                let entity = schema.entity(number: Int64(number)),
                let ownerEntity = schema.entity(number: Int64(owner))
            else { continue }
            let id = ManagedObjectID(
                store: schema.store, entity: core.model[entity].handle, key: destination)
            for place in places[key] ?? []
            where sources[place].entityHandle == core.model[ownerEntity].handle {
                lists[place].append(element(id, result, row))
            }
        }
        core.counters.noteRows(result.rowCount)
        return lists
    }
}
