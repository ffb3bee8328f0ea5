import DuramenModel
import DuramenStore

extension ContextPart {
    /// Merges derived values of the store into the objects of a completed save, and into others.
    func takeOver(_ derived: [DerivedRow], others: [SavedChanges.Update]) {
        if derived.isEmpty { return }
        let merged = Set(others.map { $0.row.objectID(in: model, store: handle.store) })
        for change in derived
        where !merged.contains(change.row.objectID(in: model, store: handle.store)) {
            let object = plans[change.row.entityID.index].table.find(change.row.key)
            if let object, object.row != nil { takeOver(change.row, by: object) }
        }
        mergeDerived(others)
    }

    /// Merges rows in which only derived attributes changed.
    func mergeDerived(_ others: [SavedChanges.Update]) {
        if others.isEmpty { return }
        mergeAndRecord([SavedChanges(updates: others)], isDoubtful: false)
    }
}

extension SavedChanges {
    /// Adds rows with derived values: rows of the save, and rows in which nothing else changed.
    ///
    /// - Returns: The rows in which nothing else changed.
    mutating func add(_ derived: [DerivedRow]) -> [Update] {
        if derived.isEmpty { return [] }
        var insertIndexes: [RowIdentity: Int] = [:]
        var updateIndexes: [RowIdentity: Int] = [:]
        for (position, row) in inserts.enumerated() { insertIndexes[RowIdentity(row)] = position }
        for (position, update) in updates.enumerated() {
            updateIndexes[RowIdentity(update.row)] = position
        }
        var others: [Update] = []
        for change in derived {
            if let position = insertIndexes[RowIdentity(change.row)] {
                inserts[position] = change.row
            } else if let position = updateIndexes[RowIdentity(change.row)] {
                updates[position].row = change.row
            } else if let base = change.base {
                others.append(Update(base: base, row: change.row))
            }
        }
        updates += others
        return others
    }

    private struct RowIdentity: Hashable {
        let entity: EntityID
        let key: Int64

        init(_ row: Row) {
            entity = row.entityID
            key = row.key
        }
    }
}
