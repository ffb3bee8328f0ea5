import DuramenModel
import DuramenStore

/// Estimates the cost of a migration from the numbers of rows only. Most rows are not rewritten.
struct MigrationForecast {
    let transaction: Transaction
    let change: SchemaChange
    let old: StoreSchema

    func estimate(fileBytes: Int) -> MigrationEstimate {
        var estimate = MigrationEstimate(storeBytes: fileBytes)
        func rows(_ entity: EntityID) -> Int {
            transaction.count(old.places[change.source[entity].root.index].rows)
        }
        let roots = change.source.entities.filter { $0.superentity == nil }.map(\.id)
        let all = max(roots.map(rows).reduce(0, +), 1)
        func add(_ entity: EntityID, _ secondsPerMillion: Double) {
            let count = rows(entity)
            let share = Int(Double(fileBytes) * Double(count) / Double(all))
            estimate.add(rows: count, secondsPerMillion: secondsPerMillion, bytes: share)
        }
        for root in change.roots where !root.keepsTable { root.source.map { add($0, 3) } }
        for root in roots
        where change.source[root].family.contains(where: { change.targetEntity($0) == nil }) {
            add(root, 1)
        }
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            for id in change.sourceRelationships[relationship.id.index]
            where change.source[id].slot != nil {
                add(change.source[id].declaringEntity, 3)
            }
        }
        for link in change.links { add(change.source[link.relationship].declaringEntity, 6) }
        for rows in change.rows.compactMap(\.self) where rows.computesValues {
            if let source = change.sourceEntities[rows.entity.index] { add(source, 10) }
        }
        for entity in change.target.entities {
            for constraint in entity.uniquenessConstraints
            where constraint.entity == entity.id && change.isNew(constraint) {
                guard let source = change.sourceEntities[entity.id.index] else { continue }
                let count = rows(source)
                estimate.add(rows: count, secondsPerMillion: 0.8, bytes: count * 32)
            }
        }
        return estimate
    }
}
