import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore

/// A request for the destinations of a to-many from many sources.
struct DestinationRequest {
    let core: StoreCore
    let relationship: RelationshipID

    /// The to-one that is searched by its value; empty for a to-many that has pairs.
    var comparedToOnes: [SQLToOne] {
        let model = core.schema.model
        guard model.relationships.indices.contains(relationship.index) else { return [] }
        let inverse = model[model[relationship].inverse]
        guard case .toOne(let slot, _) = inverse.storage else { return [] }
        return [SQLToOne(entity: inverse.declaringEntity, slot: slot)]
    }

    /// Returns one list per source, each in ascending order of IDs.
    func destinations(
        from sources: [ManagedObjectID], source: RowSource
    ) throws(StoreError) -> [[ManagedObjectID]] {
        try lists(from: sources, source: source) { id, _ in id }
    }

    /// Returns one list per source, each by order number.
    func orderedDestinations(
        from sources: [ManagedObjectID], source: RowSource
    ) throws(StoreError) -> [[OrderedDestination]] {
        try lists(from: sources, source: source) { id, statement in
            let isNull = sqlite3_column_type(statement, 4) == SQLITE_NULL
            return OrderedDestination(
                id, order: isNull ? nil : sqlite3_column_int64(statement, 4))
        }.map { $0.sorted() }
    }

    private func lists<Element>(
        from sources: [ManagedObjectID], source: RowSource,
        element: (ManagedObjectID, OpaquePointer) -> Element
    ) throws(StoreError) -> [[Element]] {
        let schema = core.schema
        guard schema.model.relationships.indices.contains(relationship.index),
            schema.model[relationship].isToMany
        else {
            throw StoreError(
                .invalidRequest, "Only a to-many refers to a list of objects. Ask the row instead.")
        }
        let owner = schema.model[relationship].declaringEntity
        let wanted = DestinationSources(
            sources, owner: owner, model: schema.model, store: schema.store)
        let keys = wanted.keys
        var result = [[Element]](repeating: [], count: sources.count)
        var lists: [Int64: (entity: EntityHandle, ids: [Element])] = [:]
        lists.reserveCapacity(keys.count)
        var start = 0
        while start < keys.count {
            let end = min(start + KeyList.longest, keys.count)
            try read(keys[start..<end], from: source, into: &lists, element)
            start = end
        }
        for place in wanted.places {
            guard let list = lists[sources[place].key],
                list.entity == sources[place].entityHandle
            else { continue }
            result[place] = list.ids
        }
        return result
    }

    private func read<Element>(
        _ keys: ArraySlice<Int64>, from source: RowSource,
        into lists: inout [Int64: (entity: EntityHandle, ids: [Element])],
        _ element: (ManagedObjectID, OpaquePointer) -> Element
    ) throws(StoreError) {
        let schema = core.schema
        let size = keys.count == 1 ? 1 : KeyList.size(for: keys.count)
        let statement = try source.connection.take(
            StatementKey(
                purpose: .destinations, place: relationship.index * 1_000 + size, clause: "")
        ) {
            RequestStatements(mapping: schema, dialect: core.dialect)
                .destinations(of: relationship, keys: KeyList.placeholders(size))
        }
        KeyList.bind(keys, size: size, to: statement, from: 1)
        source.connection.begin(statement)
        var rows = 0
        defer { source.connection.giveBack(statement, rows: rows) }
        var lastKey: Int64 = -1
        var list: [Element] = []
        var ownerEntity = EntityHandle(rawValue: 0)
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { break }
            guard result == SQLITE_ROW else { throw source.connection.error(result, "read") }
            rows += 1
            let key = sqlite3_column_int64(statement.handle, 0)
            if key != lastKey {
                if lastKey >= 0 { lists[lastKey] = (ownerEntity, list) }
                list = []
                lastKey = key
                let number = sqlite3_column_int64(statement.handle, 1)
                ownerEntity =
                    schema.entity(number: number).map { schema.model[$0].handle }
                    ?? EntityHandle(rawValue: 0)
            }
            guard let entity = schema.entity(number: sqlite3_column_int64(statement.handle, 3))
            else {
                continue
            }
            let id = ManagedObjectID(
                store: schema.store, entity: schema.model[entity].handle,
                key: sqlite3_column_int64(statement.handle, 2))
            list.append(element(id, statement.handle))
        }
        if lastKey >= 0 { lists[lastKey] = (ownerEntity, list) }
        core.counters.noteRows(rows)
    }
}
