import DuramenModel
import DuramenStore
import Foundation
import HashTreeCollections

/// An unchanging state of a memory store.
///
/// All collections share structure with the states before and after, so a copy costs nothing, and
/// the cost of a save depends on its changes.
struct MemoryState: Sendable {
    /// The number of the last save.
    var generation: Int64 = 0
    /// Rows by key, one table per root entity, at the root's index.
    var tables: [RowTable]
    /// The destinations of every to-many relationship, by keys: many-to-many pairs in both
    /// directions, and the sources of to-ones under the inverse of the to-one.
    var destinations: TreeDictionary<RelationshipEnd, TreeSet<Int64>> = [:]
    /// The order numbers of pairs in ordered relationships, by direction.
    var orders: TreeDictionary<OrderedPair, Int64> = [:]
    /// The row with each unique value of a hierarchy.
    var holders: TreeDictionary<UniqueValue, ManagedObjectKey> = [:]
    /// The application's metadata entries.
    var userInfo: TreeDictionary<String, StoredValue> = [:]
    /// The generations of the last saves, by their identifiers.
    var saves: TreeDictionary<UUID, Int64> = [:]
    /// The history; nil when none was started.
    var history: MemoryHistory?

    init(model: ManagedObjectModel) {
        tables = Array(repeating: RowTable(), count: model.entities.count)
    }
}

/// A to-many relationship of one object.
struct RelationshipEnd: Hashable, Sendable {
    var relationship: RelationshipID
    var key: Int64
}

/// A pair, seen from one of its two sides.
struct OrderedPair: Hashable, Sendable {
    var end: RelationshipEnd
    var destination: Int64
}

/// An object within its hierarchy.
struct ManagedObjectKey: Hashable, Sendable {
    var root: EntityID
    var key: Int64
}

/// The values of a uniqueness constraint, none of which is null.
///
/// One reference, because a save copies parts of the table of all unique values, and a copy would
/// otherwise retain two lists for each value.
final class UniqueValue: Hashable, Sendable {
    private let entity: EntityID
    private let slots: [Int]
    private let first: StoredValue
    private let others: [StoredValue]

    /// Creates the value of a constraint on one property.
    init(_ constraint: UniquenessConstraint, _ value: StoredValue) {
        entity = constraint.entity
        slots = constraint.slots
        first = value
        others = []
    }

    /// Creates the value of a row; nil when it is not unique, since a part of it is null.
    init?(_ constraint: UniquenessConstraint, of row: Row, layout: RowLayout) {
        func value(_ slot: Int) -> StoredValue { row.value(slot, layout.kinds[slot]) }
        entity = constraint.entity
        slots = constraint.slots
        first = value(slots[0])
        others = slots.count == 1 ? [] : slots.dropFirst().map(value)
        if first.isNull || others.contains(where: \.isNull) { return nil }
    }

    static func == (left: UniqueValue, right: UniqueValue) -> Bool {
        left.entity == right.entity && left.slots == right.slots && left.first == right.first
            && left.others == right.others
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(first)
        hasher.combine(others)
    }
}

// MARK: - Reading

extension MemoryState {
    /// Returns the row of an object; nil if it does not exist.
    func row(for id: ManagedObjectID, in model: ManagedObjectModel) -> Row? {
        guard let entity = model.entity(of: id), let row = tables[entity.root.index][id.key],
            row.entityID == entity.id
        else { return nil }
        return row
    }

    /// Returns the destination rows of a to-many relationship, ascending, without missing ones.
    func destinationRows(
        of relationship: Relationship, from key: Int64, in model: ManagedObjectModel
    ) -> [Row] {
        let end = RelationshipEnd(relationship: relationship.id, key: key)
        guard let keys = destinations[end] else { return [] }
        let table = tables[model[relationship.destination].root.index]
        return keys.sorted().compactMap { table[$0] }
    }

    /// Returns the number of a row in the order of a to-many; nil for none.
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

    /// Adds a row to its table and to the indexes; the old row of its key must be removed before.
    mutating func put(_ row: Row, of entity: Entity, in model: ManagedObjectModel) {
        tables[entity.root.index].insert(row)
        forEachReference(of: row, entity, model) { state, end in
            state.destinations[end, default: []].insert(row.key)
        }
    }

    /// Removes a row from its table and from all indexes.
    mutating func takeOut(_ row: Row, of entity: Entity, in model: ManagedObjectModel) {
        tables[entity.root.index].remove(row.key)
        forEachReference(of: row, entity, model) { state, end in state.remove(row.key, at: end) }
        for constraint in entity.uniquenessConstraints {
            if let value = UniqueValue(constraint, of: row, layout: entity.layout) {
                holders[value] = nil
            }
        }
    }

    /// Removes all pairs of an object, from both sides.
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

    /// Adds a pair, seen from either side, or changes its order numbers.
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

    /// Removes a pair, seen from either side.
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

    /// Calls `body` with the inverse to-many of each to-one of a row.
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
