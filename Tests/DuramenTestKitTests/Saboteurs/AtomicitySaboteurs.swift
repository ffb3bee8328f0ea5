import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let atomicitySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.atomicity, WritesWhatDoesNotConflict.self),
        SaboteurEntry(.atomicity, ReportsOneConflict.self),
        SaboteurEntry(.atomicity, ReportsNoStoredRows.self),
        SaboteurEntry(.atomicity, LetsTheLastUpdateWin.self),
        SaboteurEntry(.atomicity, DeletesWhateverIsThere.self),
        SaboteurEntry(.atomicity, SkipsEditsOfMissingRows.self),
        SaboteurEntry(.atomicity, StopsAfterAConflict.self),
        SaboteurEntry(.atomicity, OverwritesOnInsert.self),
        SaboteurEntry(.atomicity, CountsConflictedSaves.self),
        SaboteurEntry(.atomicity, ForgetsRemovedPairs.self),
    ]
}

extension ChangeSet {
    /// The same without edits of some objects.
    func without(_ ids: Set<ManagedObjectID>, _ store: any PersistentStore) -> ChangeSet {
        var copy = self
        copy.inserts.removeAll { ids.contains($0.objectID(in: store.model, store: store.handle)) }
        copy.updates.removeAll {
            ids.contains($0.row.objectID(in: store.model, store: store.handle))
        }
        copy.deletes.removeAll { ids.contains($0.id) }
        return copy
    }
}

extension StoreConflict {
    var id: ManagedObjectID {
        switch self {
        case .version(let conflict): conflict.id
        case .uniqueness(let conflict): conflict.id
        }
    }
}

final class WritesWhatDoesNotConflict: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .conflicted(let conflicts) = outcome {
            _ = try base.save(changes.without(Set(conflicts.map(\.id)), base))
        }
        return outcome
    }
}

final class ReportsOneConflict: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        guard case .conflicted(let conflicts) = outcome else { return outcome }
        return .conflicted(Array(conflicts.prefix(1)))
    }
}

final class ReportsNoStoredRows: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        guard case .conflicted(let conflicts) = outcome else { return outcome }
        return .conflicted(
            conflicts.map { conflict in
                switch conflict {
                case .version(var conflict):
                    conflict.storedRow = nil
                    return .version(conflict)
                case .uniqueness(var conflict):
                    conflict.storedRow = nil
                    return .uniqueness(conflict)
                }
            })
    }
}

final class LetsTheLastUpdateWin: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var forced = changes
        let snapshot = try base.snapshot()
        for index in forced.updates.indices {
            let id = forced.updates[index].row.objectID(in: model, store: handle)
            guard let stored = try snapshot.rows(for: [id]).first else { continue }
            forced.updates[index].baseVersion = stored.version
        }
        return try base.save(forced)
    }
}

final class DeletesWhateverIsThere: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var forced = changes
        let snapshot = try base.snapshot()
        for index in forced.deletes.indices {
            guard let stored = try snapshot.rows(for: [forced.deletes[index].id]).first else {
                continue
            }
            forced.deletes[index].baseVersion = stored.version
        }
        return try base.save(forced)
    }
}

final class SkipsEditsOfMissingRows: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let ids =
            changes.updates.map { $0.row.objectID(in: model, store: handle) }
            + changes.deletes.map(\.id)
        let snapshot = try base.snapshot()
        var missing: Set<ManagedObjectID> = []
        for id in ids where try snapshot.rows(for: [id]).isEmpty { missing.insert(id) }
        return try base.save(changes.without(missing, base))
    }
}

final class StopsAfterAConflict: Saboteur, @unchecked Sendable {
    private let hasConflicted = Guarded(false)

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        if hasConflicted.value { throw StoreError(.io, "A transaction was left open.") }
        let outcome = try base.save(changes)
        if case .conflicted = outcome { hasConflicted.change { $0 = true } }
        return outcome
    }
}

final class OverwritesOnInsert: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var forced = changes
        forced.inserts = []
        let snapshot = try base.snapshot()
        for row in changes.inserts {
            let id = row.objectID(in: model, store: handle)
            let root = model[model[row.entityID].root]
            let candidates = root.family.map {
                ManagedObjectID(store: handle, entity: model[$0].handle, key: id.key)
            }
            if let stored = try snapshot.rows(for: candidates).first {
                let old = stored.objectID(in: model, store: handle)
                forced.deletes.append(RowDeletion(id: old, baseVersion: stored.version))
            } else {
                forced.inserts.append(row)
            }
        }
        return try base.save(forced)
    }
}

final class CountsConflictedSaves: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .conflicted = outcome {
            _ = try base.save(ChangeSet(metadata: ["failed": .boolean(true)]))
        }
        return outcome
    }
}

final class ForgetsRemovedPairs: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for index in changes.edges.indices { changes.edges[index].removed = [] }
        return try base.save(changes)
    }
}
