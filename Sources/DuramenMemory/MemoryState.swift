import DuramenModel
import DuramenStore
import Foundation
import HashTreeCollections

/// One unchanging state of a memory store.
///
/// All collections share structure with the states before and after, so a copy costs nothing and a
/// save costs what it changes.
struct MemoryState: Sendable {
    /// The number of the last save.
    var generation: Int64 = 0
    /// Rows by key, one table per root entity, at the root's index.
    var tables: [RowTable]
    /// What every to-many leads to, by keys: the pairs of many-to-manys in both directions, and the
    /// sources of to-ones under the inverse of the to-one.
    var destinations: TreeDictionary<RelationshipEnd, TreeSet<Int64>> = [:]
    /// The numbers of pairs in ordered relationships, by direction.
    var orders: TreeDictionary<OrderedPair, Int64> = [:]
    /// Which row of a hierarchy has which unique values.
    var holders: TreeDictionary<UniqueValue, ManagedObjectKey> = [:]
    /// The application's metadata entries.
    var userInfo: TreeDictionary<String, StoredValue> = [:]
    /// The generation that each of the last saves made, by its identifier.
    var saves: TreeDictionary<UUID, Int64> = [:]
    /// Who changed what; nil when no history was begun.
    var history: MemoryHistory?

    init(model: ManagedObjectModel) {
        tables = Array(repeating: RowTable(), count: model.entities.count)
    }
}

/// One side of a to-many: whose, and which.
struct RelationshipEnd: Hashable, Sendable {
    var relationship: RelationshipID
    var key: Int64
}

/// A pair as one of its two sides sees it.
struct OrderedPair: Hashable, Sendable {
    var end: RelationshipEnd
    var destination: Int64
}

/// An object within its hierarchy.
struct ManagedObjectKey: Hashable, Sendable {
    var root: EntityID
    var key: Int64
}

/// The values that a constraint allows once. Values with a null part are never made into one.
struct UniqueValue: Hashable, Sendable {
    let entity: EntityID
    let slots: [Int]
    let values: [StoredValue]

    init?(_ constraint: UniquenessConstraint, of row: Row, layout: RowLayout) {
        var values: [StoredValue] = []
        for slot in constraint.slots {
            let value = row.value(slot, layout.kinds[slot])
            if value.isNull { return nil }
            values.append(value)
        }
        entity = constraint.entity
        slots = constraint.slots
        self.values = values
    }
}

// MARK: - Reading

extension MemoryState {
    /// The row of an object; nil when it is unknown.
    func row(for id: ManagedObjectID, in model: ManagedObjectModel) -> Row? {
        guard let entity = model.entity(of: id), let row = tables[entity.root.index][id.key],
            row.entityID == entity.id
        else { return nil }
        return row
    }

    /// The keys of the objects that a to-many leads to, ascending, missing ones left out.
    func destinationRows(
        of relationship: Relationship, from key: Int64, in model: ManagedObjectModel
    ) -> [Row] {
        let end = RelationshipEnd(relationship: relationship.id, key: key)
        guard let keys = destinations[end] else { return [] }
        let table = tables[model[relationship.destination].root.index]
        return keys.sorted().compactMap { table[$0] }
    }

    /// The number of a row in the order of a to-many that leads to it; nil for none.
    func order(
        of row: Row, in relationship: Relationship, from key: Int64, _ model: ManagedObjectModel
    ) -> Int64? {
        if case .manyToMany = relationship.storage {
            let end = RelationshipEnd(relationship: relationship.id, key: key)
            return orders[OrderedPair(end: end, destination: row.key)]
        }
        let toOne = model[row.entityID].relationship(relationship.inverse)
        return toOne?.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
    }
}

// MARK: - Writing

extension MemoryState {
    private static let rememberedSaves = 1_024

    /// Remembers a save, and forgets old ones now and then.
    mutating func remember(save identifier: UUID) {
        saves[identifier] = generation
        if saves.count < 2 * Self.rememberedSaves { return }
        let newest = Set(saves.values.sorted().suffix(Self.rememberedSaves))
        saves = saves.filter { newest.contains($0.value) }
    }

    /// Puts a row in its table and into the indexes; an old row of its key must be taken out
    /// before.
    mutating func put(_ row: Row, of entity: Entity, in model: ManagedObjectModel) {
        tables[entity.root.index].insert(row)
        forEachReference(of: row, entity, model) { state, end in
            state.destinations[end, default: []].insert(row.key)
        }
    }

    /// Takes a row out of its table and out of all indexes.
    mutating func takeOut(_ row: Row, of entity: Entity, in model: ManagedObjectModel) {
        tables[entity.root.index].remove(row.key)
        forEachReference(of: row, entity, model) { state, end in state.remove(row.key, at: end) }
        for constraint in entity.uniquenessConstraints {
            if let value = UniqueValue(constraint, of: row, layout: entity.layout) {
                holders[value] = nil
            }
        }
    }

    /// Takes all pairs of an object away, from both sides.
    mutating func takeOutPairs(of key: Int64, _ entity: Entity, in model: ManagedObjectModel) {
        for relationship in entity.toManyRelationships {
            guard case .manyToMany = relationship.storage else { continue }
            let end = RelationshipEnd(relationship: relationship.id, key: key)
            guard let others = destinations[end] else { continue }
            destinations[end] = nil
            for other in others {
                orders[OrderedPair(end: end, destination: other)] = nil
                remove(key, at: RelationshipEnd(relationship: relationship.inverse, key: other))
            }
        }
    }

    /// Adds a pair, seen from either side, or gives it other numbers.
    mutating func addPair(_ relationship: Relationship, _ edge: EdgeChange.Edge) {
        let end = RelationshipEnd(relationship: relationship.id, key: edge.source.key)
        let back = RelationshipEnd(relationship: relationship.inverse, key: edge.destination.key)
        destinations[end, default: []].insert(edge.destination.key)
        destinations[back, default: []].insert(edge.source.key)
        if let order = edge.order {
            orders[OrderedPair(end: end, destination: edge.destination.key)] = order
        }
        if let order = edge.inverseOrder {
            orders[OrderedPair(end: back, destination: edge.source.key)] = order
        }
    }

    /// Takes a pair away, seen from either side.
    mutating func removePair(_ relationship: Relationship, _ source: Int64, _ destination: Int64) {
        remove(destination, at: RelationshipEnd(relationship: relationship.id, key: source))
        remove(source, at: RelationshipEnd(relationship: relationship.inverse, key: destination))
    }

    private mutating func remove(_ key: Int64, at end: RelationshipEnd) {
        orders[OrderedPair(end: end, destination: key)] = nil
        guard var keys = destinations[end] else { return }
        keys.remove(key)
        destinations[end] = keys.isEmpty ? nil : keys
    }

    /// Calls `body` with the to-many that each to-one of a row makes up the other side of.
    private mutating func forEachReference(
        of row: Row, _ entity: Entity, _ model: ManagedObjectModel,
        _ body: (inout MemoryState, RelationshipEnd) -> Void
    ) {
        for relationship in entity.relationships {
            guard let slot = relationship.slot, !row.isNull(slot),
                model[relationship.inverse].isToMany
            else { continue }
            body(&self, RelationshipEnd(relationship: relationship.inverse, key: row.integer(slot)))
        }
    }
}
