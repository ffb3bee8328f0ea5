import DuramenModel
import DuramenStore

/// One save of a dictionary store: from a state and a change set to conflicts, or to the next
/// state.
struct DictionarySave {
    let base: DictionaryState
    let changes: ChangeSet
    let model: ManagedObjectModel
    let store: StoreHandle

    // snippet: store.conflicts
    func conflicts() throws(StoreError) -> [StoreConflict] {
        try ChangeCheck(model: model, store: store).check(changes)
        try checkKeys()
        let holders = uniqueRows()
        return try ConflictSearch(changes, model: model, store: store).conflicts(
            rows: { ids in copy(ids.compactMap { base.rows[$0] }) },
            holders: { row, constraint in
                let key = UniqueKey(row, constraint, layout: model[row.entityID].layout)
                return key.flatMap { holders[$0] } ?? []
            })
    }
    // end

    // snippet: store.next
    func next() -> DictionaryState {
        var next = base
        next.generation += 1
        next.saves[changes.identifier] = next.generation
        for deletion in changes.deletes { next.rows[deletion.id] = nil }
        let version = RowVersion(rawValue: next.generation)
        for row in copy(changes.inserts + changes.updates.map(\.row), version: version) {
            next.rows[row.objectID(in: model, store: store)] = row
        }
        for row in changes.inserts {
            let root = model[row.entityID].root
            next.nextKeys[root] = max(next.nextKeys[root] ?? 1, row.key + 1)
        }
        write(changes.edges, to: &next)
        for (name, value) in changes.metadata {
            next.userInfo[name] = value.isNull ? nil : value
        }
        return next
    }
    // end

    /// Copies rows into a block of memory of their own.
    private func copy(_ rows: some Sequence<Row>, version: RowVersion? = nil) -> RowBatch {
        var builder = RowBatchBuilder(capacity: 4_096)
        for row in rows {
            builder.append(
                row, layout: model[row.entityID].layout, version: version ?? row.version)
        }
        return builder.finish()
    }

    private func checkKeys() throws(StoreError) {
        if changes.inserts.isEmpty { return }
        var used: [EntityID: Set<Int64>] = [:]
        for row in base.rows.values {
            used[model[row.entityID].root, default: []].insert(row.key)
        }
        for row in changes.inserts {
            if used[model[row.entityID].root]?.contains(row.key) == true || row.key >= 1 << 62 {
                throw StoreError(
                    .invalidRequest,
                    "An object is inserted under a key that is in use or too large. Allocate a key.",
                    objectID: row.objectID(in: model, store: store))
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

    // MARK: - Pairs

    private func write(_ edges: [EdgeChange], to next: inout DictionaryState) {
        for change in edges {
            let relationship = model[change.relationship]
            let inverse = relationship.inverse
            let first = min(relationship.id, inverse)
            for edge in change.removed {
                let pair = DictionaryPair(source: edge.source, destination: edge.destination)
                next.pairs[first]?.remove(canonical(pair, of: relationship))
                number(pair, relationship, nil, nil, &next)
            }
            for edge in change.added {
                let pair = DictionaryPair(source: edge.source, destination: edge.destination)
                next.pairs[first, default: []].insert(canonical(pair, of: relationship))
                number(
                    pair, relationship, edge.order ?? next.orders[relationship.id]?[pair],
                    edge.inverseOrder ?? next.orders[inverse]?[pair.turned], &next)
            }
        }
        let deleted = Set(changes.deletes.map(\.id))
        if deleted.isEmpty { return }
        func isLeft(_ pair: DictionaryPair) -> Bool {
            !deleted.contains(pair.source) && !deleted.contains(pair.destination)
        }
        next.pairs = next.pairs.mapValues { $0.filter(isLeft) }
        next.orders = next.orders.mapValues { $0.filter { isLeft($0.key) } }
    }

    /// The pair from the first of both sides, or of both objects.
    private func canonical(
        _ pair: DictionaryPair, of relationship: Relationship
    ) -> DictionaryPair {
        let isFirst =
            relationship.isSelfInverse
            ? pair.source <= pair.destination : relationship.id < relationship.inverse
        return isFirst ? pair : pair.turned
    }

    /// Sets the numbers of a pair in both directions; nil for none.
    private func number(
        _ pair: DictionaryPair, _ relationship: Relationship, _ order: Int64?,
        _ inverseOrder: Int64?, _ next: inout DictionaryState
    ) {
        next.orders[relationship.id, default: [:]][pair] = order
        if relationship.isSelfInverse, pair.source == pair.destination { return }
        next.orders[relationship.inverse, default: [:]][pair.turned] = inverseOrder
    }
}
