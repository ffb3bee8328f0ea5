import DuramenModel
import DuramenQuery
import DuramenStore

/// Finds the conflicts that a change set would have, without writing it.
struct StoredConflicts {
    /// The number of rows in one query.
    private static let batchSize = 500

    private let changes: ChangeSet
    private let store: any PersistentStore
    private let snapshot: any StoreSnapshot

    init(_ changes: ChangeSet, in store: any PersistentStore) throws(StoreError) {
        self.changes = changes
        self.store = store
        snapshot = try store.snapshot()
    }

    func all() throws(StoreError) -> [StoreConflict] {
        var known: [UniquenessConstraint: [[StoredValue]: [Row]]] = [:]
        return try ConflictSearch(
            changes, model: store.model, store: store.handle,
            unenforced: try snapshot.unenforcedConstraints()
        ).conflicts(
            rows: { ids throws(StoreError) in try snapshot.rows(for: ids) },
            holders: { row, constraint throws(StoreError) in
                if known[constraint] == nil { known[constraint] = try stored(constraint) }
                return known[constraint]?[values(row, constraint)] ?? []
            })
    }

    /// Returns the stored rows with unique values of the change set's rows, by these values.
    private func stored(
        _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [[StoredValue]: [Row]] {
        let family = store.model[constraint.entity].family
        let wanted = (changes.inserts + changes.updates.map(\.row))
            .filter { family.contains($0.entityID) }
            .map { values($0, constraint) }
            .filter { !$0.contains(.null) }
        var found: [[StoredValue]: [Row]] = [:]
        for start in stride(from: 0, to: wanted.count, by: Self.batchSize) {
            let batch = wanted[start..<min(start + Self.batchSize, wanted.count)]
            let conditions = constraint.keyPaths.enumerated().map { index, path in
                FetchPredicate.comparison(
                    PredicateComparison(.keyPath(path), .isIn, .list(batch.map { $0[index] })))
            }
            let query = StoreQuery(entity: constraint.entity, predicate: .and(conditions))
            for row in try QueryExecution(query, on: store, in: snapshot).rows() {
                found[values(row, constraint), default: []].append(row)
            }
        }
        return found
    }

    private func values(_ row: Row, _ constraint: UniquenessConstraint) -> [StoredValue] {
        let entity = store.model[constraint.entity]
        return zip(constraint.properties, constraint.slots).map { name, slot in
            guard case .relationship(let relationship)? = entity.property(named: name) else {
                return row.value(slot, entity.layout.kinds[slot])
            }
            let id = row.destination(of: relationship, in: store.model, store: store.handle)
            return id.map { .objectID($0) } ?? .null
        }
    }
}
