package import DuramenModel
import DuramenQuery

/// The to-one references of a store to objects that do not exist. No save of this library leaves
/// such references.
package struct DanglingReferences {
    /// The dangling references of one relationship.
    package struct Finding: Sendable {
        /// The entity and the relationship, such as `Book.author`.
        package var name: String
        /// The number of references.
        package var count: Int
        /// The first object with such a reference.
        package var example: ManagedObjectID
    }

    /// The findings by relationship.
    package private(set) var found: [Finding] = []

    /// Searches one state of a store.
    ///
    /// - Complexity: Reads every row once, and once more for each batch of rows that refer to it.
    package init(
        in snapshot: any StoreSnapshot, of store: any PersistentStore
    ) throws(StoreError) {
        let walk = StoreWalk(store, snapshot)
        var findings: [RelationshipID: Finding] = [:]
        for entity in store.model.entities where entity.superentity == nil {
            try walk.forEachBatch(of: entity) { (rows) throws(StoreError) in
                for relationship in store.model.relationships where !relationship.isToMany {
                    let ends = Self.ends(of: relationship, from: rows, store)
                    if ends.isEmpty { continue }
                    let there = try snapshot.batches(for: Array(Set(ends.map(\.end)))).joined()
                    let known = Set(there.map { $0.objectID(in: store.model, store: store.handle) })
                    let owner = store.model[relationship.declaringEntity].name
                    for (example, end) in ends where !known.contains(end) {
                        let first = Finding(
                            name: "\(owner).\(relationship.name)", count: 0, example: example)
                        findings[relationship.id, default: first].count += 1
                    }
                }
            }
        }
        found = findings.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func ends(
        of relationship: Relationship, from rows: RowBatch, _ store: any PersistentStore
    ) -> [(owner: ManagedObjectID, end: ManagedObjectID)] {
        let model = store.model
        let owner = model[relationship.declaringEntity]
        return rows.compactMap { row in
            guard model[row.entityID].isKind(of: owner) else { return nil }
            // Its entity slot may differ from the slot in the declaring entity.
            let own = model[row.entityID].relationship(relationship.id) ?? relationship
            return row.destination(of: own, in: model, store: store.handle).map {
                (row.objectID(in: model, store: store.handle), $0)
            }
        }
    }
}
