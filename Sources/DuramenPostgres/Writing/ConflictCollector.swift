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
        let holders = try holders()
        return try ConflictSearch(changes, model: core.model, store: core.schema.store).conflicts(
            rows: { (ids) throws(StoreError) in try reading.rows(for: ids) },
            holders: { (row, constraint) throws(StoreError) in
                guard let claim = claim(of: row, constraint) else { return [] }
                let layout = core.model[row.entityID].layout
                // Different values may have one digest.
                return holders[claim, default: []].filter { other in
                    constraint.slots.allSatisfy {
                        row.hasSameValue($0, layout.kinds[$0], as: other)
                    }
                }
            })
    }

    private func claim(of row: Row, _ constraint: UniquenessConstraint) -> Claim? {
        let core = reading.core
        guard let number = core.schema.constraints[constraint],
            let digest = Claims.digest(of: row, constraint, core.model[row.entityID].layout)
        else { return nil }
        return Claim(number: number, digest: digest)
    }

    /// The stored rows that have unique values of the change set, in two round trips.
    private func holders() throws(StoreError) -> [Claim: [Row]] {
        let core = reading.core
        var claims: Set<Claim> = []
        for row in changes.inserts + changes.updates.map(\.row) {
            for constraint in core.model[row.entityID].uniquenessConstraints {
                if let claim = claim(of: row, constraint) { claims.insert(claim) }
            }
        }
        var claimed: [ManagedObjectID: [Claim]] = [:]
        for (claim, id) in try reading.holders(of: claims) {
            claimed[id, default: []].append(claim)
        }
        if claimed.isEmpty { return [:] }
        var holders: [Claim: [Row]] = [:]
        for row in try reading.rows(for: Array(claimed.keys)) {
            let id = row.objectID(in: core.model, store: core.schema.store)
            for claim in claimed[id] ?? [] { holders[claim, default: []].append(row) }
        }
        return holders
    }
}
