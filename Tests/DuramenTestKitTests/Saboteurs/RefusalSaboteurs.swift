import DuramenModel
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let refusalSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.atomicity, TakesTheFirstOfTwo.self),
        SaboteurEntry(.atomicity, RefusesFallingKeys.self),
        SaboteurEntry(.atomicity, LeavesAbstractRowsOut.self),
        SaboteurEntry(.atomicity, LeavesOddRowsOut.self),
        SaboteurEntry(.atomicity, LeavesOddPairsOut.self),
        SaboteurEntry(.atomicity, LeavesPairsOfOthersOut.self),
    ]
}

/// Saves what is left of a change set when something is taken out of it.
class LeavesOut: Saboteur, @unchecked Sendable {
    func reduced(_ changes: ChangeSet) -> ChangeSet { changes }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try base.save(reduced(changes))
    }
}

final class TakesTheFirstOfTwo: LeavesOut, @unchecked Sendable {
    override func reduced(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        var seen: Set<ManagedObjectID> = []
        func isNew(_ row: Row) -> Bool {
            seen.insert(row.objectID(in: model, store: handle)).inserted
        }
        changes.inserts = changes.inserts.filter(isNew)
        changes.updates = changes.updates.filter { isNew($0.row) }
        changes.deletes = changes.deletes.filter { seen.insert($0.id).inserted }
        return changes
    }
}

final class RefusesFallingKeys: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let discs = changes.inserts.filter { model[$0.entityID] === model.entity(named: "Disc") }
        if zip(discs, discs.dropFirst()).contains(where: { $0.key > $1.key }) {
            throw StoreError(.invalidRequest, "Keys do not rise.")
        }
        return try base.save(changes)
    }
}

final class LeavesAbstractRowsOut: LeavesOut, @unchecked Sendable {
    override func reduced(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        changes.inserts.removeAll { model[$0.entityID].isAbstract }
        return changes
    }
}

final class LeavesOddRowsOut: LeavesOut, @unchecked Sendable {
    override func reduced(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        changes.inserts.removeAll { $0.slotCount != model[$0.entityID].layout.slotCount }
        return changes
    }
}

final class LeavesOddPairsOut: LeavesOut, @unchecked Sendable {
    override func reduced(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        changes.edges.removeAll { change in
            if case .manyToMany = model[change.relationship].storage { false } else { true }
        }
        return changes
    }
}

final class LeavesPairsOfOthersOut: LeavesOut, @unchecked Sendable {
    override func reduced(_ changes: ChangeSet) -> ChangeSet {
        var changes = changes
        for place in changes.edges.indices {
            let relationship = model[changes.edges[place].relationship]
            func isJoined(_ edge: EdgeChange.Edge) -> Bool {
                let ends = [
                    (edge.source, relationship.declaringEntity),
                    (edge.destination, relationship.destination),
                ]
                return ends.allSatisfy { id, entity in
                    model.entity(of: id)?.isKind(of: model[entity]) ?? false
                }
            }
            changes.edges[place].added = changes.edges[place].added.filter(isJoined)
            changes.edges[place].removed = changes.edges[place].removed.filter(isJoined)
        }
        return changes
    }
}
