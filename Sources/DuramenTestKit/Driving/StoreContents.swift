public import DuramenModel
import DuramenQuery
public import DuramenStore

/// All data in one state of a store: rows with their versions, and all to-many relationships.
public struct StoreContents: Sendable, Equatable {
    /// A stored object.
    public struct Record: Sendable, Equatable {
        /// The row's version.
        public var version: RowVersion
        /// The values by property.
        public var values: PropertyValues
    }

    /// All objects by ID.
    public var records: [ManagedObjectID: Record] = [:]
    /// The destinations of to-many relationships by owner, without empty ones.
    public var destinations: [RelationshipID: [ManagedObjectID: [ManagedObjectID]]] = [:]

    /// The destinations of ordered to-many relationships with their numbers, without empty ones.
    public var orders: [RelationshipID: [ManagedObjectID: [OrderedDestination]]] = [:]

    /// Reads a snapshot completely.
    public init(reading snapshot: any StoreSnapshot, of store: any PersistentStore) throws {
        for entity in store.model.entities where entity.superentity == nil {
            let query = store.pushdown(for: StoreQuery(entity: entity.id)).pushed
            let cursor = try snapshot.cursor(query)
            while let batch = try cursor.next(maximumRows: 256) {
                for row in batch {
                    let id = row.objectID(in: store.model, store: store.handle)
                    if records[id] != nil { throw Difference("a row came twice from a cursor") }
                    records[id] = Record(
                        version: row.version,
                        values: RowCoding.values(of: row, in: store.model, store: store.handle))
                }
            }
        }
        try readDestinations(snapshot, store)
    }

    private mutating func readDestinations(
        _ snapshot: any StoreSnapshot, _ store: any PersistentStore
    ) throws {
        let ids = records.keys.sorted()
        for relationship in store.model.relationships where relationship.isToMany {
            let owner = store.model[relationship.declaringEntity]
            let sources = ids.filter { store.model.entity(of: $0)?.isKind(of: owner) ?? false }
            let lists = try snapshot.destinations(of: relationship.id, from: sources)
            guard lists.count == sources.count else {
                throw Difference(
                    "\(sources.count) sources gave \(lists.count) lists of '\(relationship.name)'")
            }
            for (source, list) in zip(sources, lists) where !list.isEmpty {
                destinations[relationship.id, default: [:]][source] = list
            }
            if !relationship.isOrdered { continue }
            let orders = try snapshot.orderedDestinations(of: relationship.id, from: sources)
            for ((source, list), order) in zip(zip(sources, lists), orders) {
                if order.map(\.id).sorted() != list || order.sorted() != order {
                    throw Difference(
                        "'\(relationship.name)' has other members, or another order, when they are read "
                            + "with their numbers")
                }
                if !order.isEmpty { self.orders[relationship.id, default: [:]][source] = order }
            }
        }
    }

    /// Returns a description of the first few differences, without values; nil if there are none.
    public func difference(to other: StoreContents) -> String? {
        if self == other { return nil }
        var lines: [String] = []
        for id in Set(records.keys).union(other.records.keys).sorted() {
            let name = "\(id.entityName) \(id.key)"
            switch (records[id], other.records[id]) {
            case (nil, _): lines.append("\(name) is new")
            case (_, nil): lines.append("\(name) is gone")
            case (let old?, let new?) where old != new:
                let names = Set(old.values.keys).union(new.values.keys)
                    .filter { old.values[$0] != new.values[$0] }
                lines.append(
                    "\(name) differs in \(names.sorted()), versions \(old.version.rawValue), "
                        + "\(new.version.rawValue)")
            default: continue
            }
        }
        for index in Set(destinations.keys).union(other.destinations.keys).sorted()
        where destinations[index] != other.destinations[index] {
            lines.append("relationship \(index.index) leads elsewhere")
        }
        for index in Set(orders.keys).union(other.orders.keys).sorted()
        where orders[index] != other.orders[index] {
            lines.append("relationship \(index.index) has another order")
        }
        return lines.prefix(8).joined(separator: "; ")
    }
}
