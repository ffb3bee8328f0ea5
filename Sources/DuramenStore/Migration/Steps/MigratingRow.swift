public import DuramenModel
import DuramenQuery
import Foundation

/// The values of an object before a step, by the names of the previous version.
///
/// Do not keep it after the step. Related objects are loaded for many rows at once.
public struct MigratingRow {
    let row: Row
    let block: RowBlock

    init(_ row: Row, in block: RowBlock) {
        self.row = row
        self.block = block
    }

    private var entity: Entity { block.store.model[row.entityID] }

    /// The object's ID, which a migration never changes.
    public var objectID: ManagedObjectID {
        row.objectID(in: block.store.model, store: block.store.handle)
    }

    /// The name of the object's entity.
    public var entityName: String { entity.name }

    /// Returns the value of an attribute, or of an element of a composite by its path.
    ///
    /// The step fails if the entity does not have the attribute.
    public func storedValue(forKey path: String) -> StoredValue {
        guard case .attribute(let attribute)? = entity.property(named: path) else {
            block.note("'\(entity.name)' has no attribute '\(path)' in the version before")
            return .null
        }
        return row.value(attribute.slot, attribute.kind)
    }

    /// Returns the destination of a to-one relationship; nil for none.
    public func destination(forKey name: String) -> MigratingRow? {
        guard let relationship = relationship(name, isToMany: false) else { return nil }
        return block.destinations(of: relationship, from: row).first
    }

    /// Returns the destinations of a to-many relationship, in their order if it is ordered.
    public func destinations(forKey name: String) -> [MigratingRow] {
        guard let relationship = relationship(name, isToMany: true) else { return [] }
        return block.destinations(of: relationship, from: row)
    }

    private func relationship(_ name: String, isToMany: Bool) -> Relationship? {
        if case .relationship(let relationship)? = entity.property(named: name),
            relationship.isToMany == isToMany
        {
            return relationship
        }
        block.note(
            "'\(entity.name)' has no \(isToMany ? "to-many" : "to-one") '\(name)' in the version before"
        )
        return nil
    }
}

/// Rows that are read together, and whose related objects are loaded together.
final class RowBlock {
    let store: any PersistentStore
    private let rows: [Row]
    private let snapshot: any StoreSnapshot
    private var found: [RelationshipID: [ManagedObjectID: [MigratingRow]]] = [:]
    /// The error that ends the step.
    private(set) var problem: StoreError?

    init(_ rows: [Row], _ snapshot: any StoreSnapshot, _ store: any PersistentStore) {
        self.rows = rows
        self.snapshot = snapshot
        self.store = store
    }

    func note(_ message: String) {
        problem = problem ?? StoreError(.invalidRequest, message + ".")
    }

    func destinations(of relationship: Relationship, from row: Row) -> [MigratingRow] {
        let id = row.objectID(in: store.model, store: store.handle)
        if let known = found[relationship.id] { return known[id] ?? [] }
        do throws(StoreError) {
            let all = try destinations(of: relationship)
            found[relationship.id] = all
            return all[id] ?? []
        } catch {
            problem = problem ?? error
            return []
        }
    }

    private func destinations(
        of relationship: Relationship
    ) throws(StoreError) -> [ManagedObjectID: [MigratingRow]] {
        let model = store.model
        let owner = model[relationship.declaringEntity]
        let sources = rows.filter { model[$0.entityID].isKind(of: owner) }
        let ids = sources.map { $0.objectID(in: model, store: store.handle) }
        let lists: [[ManagedObjectID]]
        if !relationship.isToMany {
            lists = sources.map { row in
                let own = model[row.entityID].relationship(relationship.id) ?? relationship
                return row.destination(of: own, in: model, store: store.handle).map { [$0] } ?? []
            }
        } else if relationship.isOrdered {
            lists = try snapshot.orderedDestinations(of: relationship.id, from: ids)
                .map { $0.sorted().map(\.id) }
        } else {
            lists = try snapshot.destinations(of: relationship.id, from: ids)
        }
        let wanted = Array(Set(lists.joined())).sorted()
        var rows: [Row] = []
        for part in wanted.parts {
            for batch in try snapshot.batches(for: part) { rows.append(contentsOf: batch) }
        }
        let block = RowBlock(rows, snapshot, store)
        let byID = Dictionary(
            rows.map { ($0.objectID(in: model, store: store.handle), MigratingRow($0, in: block)) },
            uniquingKeysWith: { first, _ in first })
        let pairs = zip(ids, lists).map { ($0, $1.compactMap { byID[$0] }) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
