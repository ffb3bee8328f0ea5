import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import HashTreeCollections

/// Makes the state of one version of a model a state of another one, row by row.
struct MemoryMigration {
    let change: SchemaChange
    let base: MemoryState
    let store: StoreHandle
    let path: String

    private var target: ManagedObjectModel { change.target }

    /// - Throws: `.valuesDoNotFit`, `.uniquenessViolated`.
    func state(at date: Date) throws(StoreError) -> MemoryState {
        try checkValues()
        var empty = MemoryState(model: target)
        empty.generation = base.generation
        empty.userInfo = base.userInfo
        empty.saves = base.saves
        empty.history = base.history
        let record = StoreMigrationRecord(
            source: change.source.versionChecksum, target: target.versionChecksum, date: date,
            save: .max)
        let eras = try HistoryEras([record], present: target) { (_) throws(StoreError) in
            change.source
        }
        if let era = eras.era(of: 0) { empty.history?.rename(by: era, store: store) }
        var heading = ChangeSet()
        heading.author = "duramen.migration"
        heading.keepsDerivedValues = true
        heading.inserts = rows()
        heading.edges = edges(from: heading.inserts)
        var save = MemorySave(empty, model: target, store: store)
        try save.apply(heading)
        for case .uniqueness(let conflict) in save.conflicts {
            throw target.sharedValues(conflict.constraint, in: path)
        }
        var next = save.next
        try compute(&next)
        next.remember(save: heading.identifier)
        return next
    }

    private func forEachRow(_ body: (Row) -> Void) {
        for table in base.tables { table.forEachRow(body) }
    }

    // MARK: - Values

    private func checkValues() throws(StoreError) {
        var check = MigrationRowCheck(change, path: path)
        forEachRow { check.note($0) }
        try check.finish()
    }

    private func rows() -> RowList {
        let translation = RowTranslation(change)
        var builder = RowBatchBuilder(capacity: 1_024)
        forEachRow { translation.append($0, to: &builder) }
        return RowList(builder.finish())
    }

    private func compute(_ state: inout MemoryState) throws(StoreError) {
        guard let derived = DerivedAttributes(target, store: store) else { return }
        let computed = Set(change.rows.compactMap { $0 }.filter(\.computesValues).map(\.entity))
        if computed.isEmpty { return }
        let source = MemorySource(state, model: target, store: store)
        var ids: [ManagedObjectID] = []
        for table in state.tables {
            table.forEachRow { row in
                if computed.contains(row.entityID) {
                    ids.append(row.objectID(in: target, store: store))
                }
            }
        }
        var changes = ChangeSet(
            updates: try derived.recomputed(source.rows(for: ids), from: source))
        changes.keepsDerivedValues = true
        // One change of the model is one save.
        let generation = state.generation
        state.generation -= 1
        var save = MemorySave(state, model: target, store: store)
        try save.apply(changes)
        state = save.next
        state.generation = generation
    }

    // MARK: - Pairs

    private func edges(from rows: RowList) -> [EdgeChange] {
        // By root: who has a key now.
        var owners: [EntityID: [Int64: EntityID]] = [:]
        for row in rows { owners[target[row.entityID].root, default: [:]][row.key] = row.entityID }
        func id(_ key: Int64, _ entity: EntityID) -> ManagedObjectID? {
            owners[target[entity].root]?[key].map {
                ManagedObjectID(store: store, entity: target[$0].handle, key: key)
            }
        }
        return target.relationships.compactMap { relationship in
            guard case .manyToMany = relationship.storage,
                relationship.id <= relationship.inverse
            else { return nil }
            let inverse = target[relationship.inverse]
            var edges: [EdgeChange.Edge] = []
            for (source, destination, order, inverseOrder) in pairs(relationship) {
                guard let from = id(source, relationship.declaringEntity),
                    let to = id(destination, relationship.destination)
                else { continue }
                edges.append(
                    EdgeChange.Edge(
                        from: from, to: to, order: relationship.isOrdered ? order : nil,
                        inverseOrder: inverse.isOrdered ? inverseOrder : nil))
            }
            return edges.isEmpty
                ? nil : EdgeChange(relationship: relationship.id, added: edges)
        }
    }

    private typealias Pair = (source: Int64, destination: Int64, order: Int64?, inverse: Int64?)

    private func pairs(_ relationship: Relationship) -> [Pair] {
        var pairs: [Pair] = []
        for id in change.sourceRelationships[relationship.id.index] {
            let before = change.source[id]
            if case .manyToMany = before.storage {
                for (end, keys) in base.destinations where end.relationship == id {
                    for key in keys {
                        let back = RelationshipEnd(relationship: before.inverse, key: key)
                        pairs.append(
                            (
                                end.key, key,
                                base.orders[OrderedPair(end: end, destination: key)],
                                base.orders[OrderedPair(end: back, destination: end.key)]
                            ))
                    }
                }
                continue
            }
            let isOwner = before.slot != nil
            let toOne = isOwner ? before : change.source[before.inverse]
            for (key, destination, order) in references(toOne) {
                pairs.append(
                    isOwner ? (key, destination, nil, order) : (destination, key, order, nil))
            }
        }
        return pairs
    }

    /// For each owner of a to-one: its key, that of the destination, and its number in the order
    /// of the destination's members.
    private func references(_ toOne: Relationship) -> [(Int64, Int64, Int64?)] {
        var found: [(Int64, Int64, Int64?)] = []
        base.tables[change.source[toOne.declaringEntity].root.index].forEachRow { row in
            guard let own = change.source[row.entityID].relationship(toOne.id),
                let slot = own.slot, !row.isNull(slot)
            else { return }
            found.append(
                (
                    row.key, row.integer(slot),
                    own.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
                ))
        }
        return found
    }
}
