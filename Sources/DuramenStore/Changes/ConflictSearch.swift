public import DuramenModel

/// Finds all reasons why a change set cannot be saved, once a store knows that there is one.
///
/// Uniqueness is checked in the final state, even if versions conflict, so that the search returns
/// all conflicts at once. Stored rows are read from the store, which has written nothing of the
/// change set yet. ``ChangeCheck`` has already rejected change sets that contain an object twice.
public struct ConflictSearch {
    private let changes: ChangeSet
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let unenforced: Set<UniquenessConstraint>

    /// Creates a search for the conflicts of a change set.
    ///
    /// - Parameters:
    ///   - changes: The change set.
    ///   - model: The store's model.
    ///   - store: The store's number.
    ///   - unenforced: The constraints that the store does not enforce.
    public init(
        _ changes: ChangeSet, model: ManagedObjectModel, store: StoreHandle,
        unenforced: Set<UniquenessConstraint> = []
    ) {
        self.unenforced = unenforced
        self.changes = changes
        self.model = model
        self.store = store
    }

    /// Returns all conflicts.
    ///
    /// - Parameters:
    ///   - rows: Returns stored rows, without unknown ones.
    ///   - holders: Returns the stored rows whose values of a constraint equal those of a row.
    public func conflicts(
        rows: ([ManagedObjectID]) throws(StoreError) -> RowBatch,
        holders: (Row, UniquenessConstraint) throws(StoreError) -> [Row]
    ) throws(StoreError) -> [StoreConflict] {
        try versionConflicts(rows) + uniquenessConflicts(holders: holders)
    }

    private func versionConflicts(
        _ rows: ([ManagedObjectID]) throws(StoreError) -> RowBatch
    ) throws(StoreError) -> [StoreConflict] {
        var expected: [(id: ManagedObjectID, base: RowVersion)] = []
        for change in changes.updates { expected.append((id(of: change.row), change.baseVersion)) }
        expected += changes.deletes.map { ($0.id, $0.baseVersion) }
        expected += changes.checks.map { ($0.id, $0.baseVersion) }
        var stored: [ManagedObjectID: Row] = [:]
        for row in try batches(for: expected.map(\.id), rows).joined() {
            stored[id(of: row)] = row
        }
        // A checked row may be written too, or be checked twice.
        var known: Set<ManagedObjectID> = []
        return expected.compactMap { id, base in
            let row = stored[id]
            if let row, row.version == base { return nil }
            if !changes.checks.isEmpty, !known.insert(id).inserted { return nil }
            return .version(VersionConflict(id: id, baseVersion: base, storedRow: row))
        }
    }

    /// Returns the rows of the final state that share unique values.
    ///
    /// Each row is reported once per constraint, with the stored row that keeps the values. Without
    /// such a stored row, it is reported with the first row of the change set that gets the values.
    ///
    /// - Parameters:
    ///   - isJudged: Whether to check a constraint; all by default.
    ///   - holders: Returns the stored rows whose values of a constraint equal those of a row.
    public func uniquenessConflicts(
        where isJudged: (UniquenessConstraint) -> Bool = { _ in true },
        holders: (Row, UniquenessConstraint) throws(StoreError) -> [Row]
    ) throws(StoreError) -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        var touched = Set(changes.deletes.map(\.id))
        for change in changes.updates { touched.insert(id(of: change.row)) }
        // There are few constraints, so a linear search is enough.
        var claims: [ClaimedValues] = []
        let rows = changes.inserts + changes.updates.map(\.row)
        for row in rows {
            let entity = model[row.entityID]
            let id = id(of: row)
            for constraint in entity.uniquenessConstraints
            where !unenforced.contains(constraint) && isJudged(constraint) {
                if constraint.slots.contains(where: row.isNull) { continue }
                let claim =
                    claims.firstIndex { $0.constraint == constraint } ?? claims.endIndex
                if claim == claims.endIndex {
                    claims.append(ClaimedValues(constraint, capacity: rows.count))
                }
                let first = claims[claim].claim(row, entity.layout).map { self.id(of: $0) }
                let stored = try holders(row, constraint).first { other in
                    let otherID = self.id(of: other)
                    return otherID != id && !touched.contains(otherID)
                }
                guard let other = stored.map({ self.id(of: $0) }) ?? first else { continue }
                conflicts.append(conflict(constraint, id, other, stored))
            }
        }
        return conflicts
    }

    private func conflict(
        _ constraint: UniquenessConstraint, _ id: ManagedObjectID, _ other: ManagedObjectID,
        _ storedRow: Row?
    ) -> StoreConflict {
        .uniqueness(
            UniquenessConflict(
                constraint: constraint, id: id, otherID: other, storedRow: storedRow))
    }

    private func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}

extension ChangeSet {
    /// Returns whether rows get values of uniqueness constraints.
    public func writesUniqueValues(in model: ManagedObjectModel) -> Bool {
        inserts.contains { !model[$0.entityID].uniquenessConstraints.isEmpty }
            || updates.contains { change in
                model[change.row.entityID].uniquenessConstraints.contains { constraint in
                    constraint.slots.contains { change.changedSlots.contains($0) }
                }
            }
    }
}
