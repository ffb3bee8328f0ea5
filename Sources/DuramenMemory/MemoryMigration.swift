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

    private func forEachRow(_ body: (Row) throws(StoreError) -> Void) throws(StoreError) {
        for table in base.tables {
            var place = RowTable.Place()
            while let leaf = table.leaf(at: &place) {
                for row in leaf { try body(row) }
            }
        }
    }

    // MARK: - Values

    private func checkValues() throws(StoreError) {
        let problem = MigrationProblem(change: change, path: path)
        var objects: [EntityID: Int] = [:]
        var misfits: [EntityID: [Int: (ValueConversion, Int)]] = [:]
        try forEachRow { (row) throws(StoreError) in
            guard let rows = change.rows[row.entityID.index] else { return }
            if target[rows.entity].isAbstract { objects[row.entityID, default: 0] += 1 }
            for source in rows.sources {
                guard case .slot(let slot, let conversion?, _) = source, !conversion.isLossless,
                    conversion.converted(
                        row.value(slot, change.source[row.entityID].layout.kinds[slot])) == nil
                else { continue }
                misfits[row.entityID, default: [:]][slot, default: (conversion, 0)].1 += 1
            }
        }
        if let (entity, count) = objects.min(by: { $0.key < $1.key }) {
            throw problem.hasObjects(change.source[entity], count: count)
        }
        for (id, slots) in misfits {
            let entity = change.source[id]
            for attribute in entity.attributes {
                guard let (conversion, count) = slots[attribute.slot] else { continue }
                throw problem.doNotFit(entity, attribute.name, conversion, count: count)
            }
        }
    }

    private func rows() -> RowList {
        let translation = RowTranslation(change)
        var builder = RowBatchBuilder(capacity: 1_024)
        for table in base.tables {
            var place = RowTable.Place()
            while let leaf = table.leaf(at: &place) {
                for row in leaf { translation.append(row, to: &builder) }
            }
        }
        return RowList(builder.finish())
    }

    private func compute(_ state: inout MemoryState) throws(StoreError) {
        guard let derived = DerivedAttributes(target, store: store) else { return }
        let computed = Set(change.rows.compactMap { $0 }.filter(\.computesValues).map(\.entity))
        if computed.isEmpty { return }
        let source = MemorySource(state, model: target, store: store)
        var ids: [ManagedObjectID] = []
        for table in state.tables {
            var place = RowTable.Place()
            while let leaf = table.leaf(at: &place) {
                for row in leaf where computed.contains(row.entityID) {
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

    /// What a to-one leads to, with the owner's number in the order there.
    private func references(_ toOne: Relationship) -> [(Int64, Int64, Int64?)] {
        var found: [(Int64, Int64, Int64?)] = []
        let table = base.tables[change.source[toOne.declaringEntity].root.index]
        var place = RowTable.Place()
        while let leaf = table.leaf(at: &place) {
            for row in leaf {
                guard let own = change.source[row.entityID].relationship(toOne.id),
                    let slot = own.slot, !row.isNull(slot)
                else { continue }
                found.append(
                    (
                        row.key, row.integer(slot),
                        own.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
                    ))
            }
        }
        return found
    }
}
