import DuramenModel
import DuramenStore

/// Finds all reasons why a change set cannot be saved, with the stored rows.
struct ConflictCollector {
    private let changes: ChangeSet
    private let reading: RowReading

    init(_ changes: ChangeSet, _ reading: RowReading) {
        self.changes = changes
        self.reading = reading
    }

    func conflicts() throws(StoreError) -> [StoreConflict] {
        let core = reading.core
        return try ConflictSearch(changes, model: core.model, store: core.schema.store).conflicts(
            rows: { (ids) throws(StoreError) in try reading.rows(for: ids) },
            holders: { (row, constraint) throws(StoreError) in
                try holders(like: row, constraint)
            })
    }

    /// The stored rows whose values of a constraint equal those of a row: those that the digest
    /// finds, compared value by value.
    private func holders(
        like row: Row, _ constraint: UniquenessConstraint
    ) throws(StoreError) -> [Row] {
        let core = reading.core
        let layout = core.model[row.entityID].layout
        guard let number = core.schema.constraints[constraint],
            let digest = Claims.digest(of: row, constraint, layout)
        else { return [] }
        let claims = try reading.run(
            core.statements.claims.find, [.integer(number), .bytea(digest)])
        var ids: [ManagedObjectID] = []
        for place in 0..<claims.rowCount {
            guard let key = claims.int64(place, 0), let number = claims.int32(place, 1),
                let entity = core.schema.entity(number: Int64(number))
            else { continue }
            ids.append(
                ManagedObjectID(
                    store: core.schema.store, entity: core.model[entity].handle, key: key))
        }
        return try reading.rows(for: ids).filter { other in
            constraint.slots.allSatisfy { row.hasSameValue($0, layout.kinds[$0], as: other) }
        }
    }
}
