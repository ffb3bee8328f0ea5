import DuramenModel
import DuramenStore

/// One save: from a state and a change set to the next state, or to the conflicts.
struct JSONSave {
    let base: JSONState
    let changes: ChangeSet
    let model: ManagedObjectModel
    let store: StoreHandle

    /// The reasons not to save, all of them.
    ///
    /// - Throws: `.invalidRequest` for what no context sends.
    func conflicts() throws(StoreError) -> [StoreConflict] {
        try ChangeCheck(model: model, store: store).check(changes)
        try checkKeys()
        let holders = uniqueRows()
        return try ConflictSearch(changes, model: model, store: store).conflicts(
            rows: { ids in
                var builder = RowBatchBuilder(capacity: 4_096)
                for row in ids.compactMap({ base.rows[$0] }) { append(row, row.version, &builder) }
                return builder.finish()
            },
            holders: { row, constraint in
                let key = UniqueKey(row, constraint, layout: model[row.entityID].layout)
                return key.flatMap { holders[$0] } ?? []
            })
    }

    /// The state after the save. Its number is the version of all rows that the save writes: it is
    /// used once, so no row had it.
    func next() -> JSONState {
        var next = base
        next.header.generation += 1
        next.header.remember(changes.identifier)
        for deletion in changes.deletes { next.rows[deletion.id] = nil }
        // Copies, since the caller's rows would keep the caller's memory alive.
        var builder = RowBatchBuilder(capacity: 4_096)
        for row in changes.inserts + changes.updates.map(\.row) {
            append(row, RowVersion(rawValue: next.header.generation), &builder)
        }
        for row in builder.finish() { next.rows[id(row)] = row }
        // Keys of a conversion were handed out by another store, not by this one.
        for row in changes.inserts {
            next.header.keepClear(of: row.key, root: model[model[row.entityID].root].name)
        }
        write(changes.edges, to: &next)
        for (name, value) in changes.metadata {
            next.header.userInfo[name] = value.isNull ? nil : value
        }
        return next
    }

    private func id(_ row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }

    private func append(_ row: Row, _ version: RowVersion, _ builder: inout RowBatchBuilder) {
        builder.append(row, layout: model[row.entityID].layout, version: version)
    }

    private func checkKeys() throws(StoreError) {
        if changes.inserts.isEmpty { return }
        var used: [EntityID: Set<Int64>] = [:]
        for row in base.rows.values {
            used[model[row.entityID].root, default: []].insert(row.key)
        }
        for row in changes.inserts {
            let root = model[row.entityID].root
            let isFree = used[root]?.contains(row.key) != true
            if !isFree || row.key >= JSONHeader.limit - 1 {
                throw StoreError(
                    .invalidRequest,
                    "An object of '\(model[row.entityID].name)' is inserted under a key that is in use "
                        + "or too large; allocate a key for it.",
                    objectID: id(row))
            }
        }
    }

    /// The stored rows by the values that only one may have.
    private func uniqueRows() -> [UniqueKey: [Row]] {
        var holders: [UniqueKey: [Row]] = [:]
        for row in base.rows.values {
            let entity = model[row.entityID]
            for constraint in entity.uniquenessConstraints {
                guard let key = UniqueKey(row, constraint, layout: entity.layout) else { continue }
                holders[key, default: []].append(row)
            }
        }
        return holders
    }

    private func write(_ edges: [EdgeChange], to next: inout JSONState) {
        for change in edges {
            let relationship = model[change.relationship]
            for edge in change.removed {
                let (first, pair) = model.canonical(edge, of: relationship)
                next.pairs[first, default: []].remove(pair)
                number(edge, relationship, nil, nil, &next)
            }
            for edge in change.added {
                let (first, pair) = model.canonical(edge, of: relationship)
                next.pairs[first, default: []].insert(pair)
                let own = JSONPair(source: edge.source, destination: edge.destination)
                number(
                    edge, relationship, edge.order ?? next.orders[relationship.id]?[own],
                    edge.inverseOrder ?? next.orders[relationship.inverse]?[own.turned], &next)
            }
        }
        let deleted = Set(changes.deletes.map(\.id))
        if deleted.isEmpty { return }
        func isLeft(_ pair: JSONPair) -> Bool {
            !deleted.contains(pair.source) && !deleted.contains(pair.destination)
        }
        next.pairs = next.pairs.mapValues { $0.filter(isLeft) }
        next.orders = next.orders.mapValues { $0.filter { isLeft($0.key) } }
    }

    /// Sets the numbers of a pair in both directions; nil for none.
    private func number(
        _ edge: EdgeChange.Edge, _ relationship: Relationship, _ order: Int64?,
        _ inverseOrder: Int64?, _ next: inout JSONState
    ) {
        let pair = JSONPair(source: edge.source, destination: edge.destination)
        next.orders[relationship.id, default: [:]][pair] = order
        if relationship.isSelfInverse, pair.source == pair.destination { return }
        next.orders[relationship.inverse, default: [:]][pair.turned] = inverseOrder
    }
}
