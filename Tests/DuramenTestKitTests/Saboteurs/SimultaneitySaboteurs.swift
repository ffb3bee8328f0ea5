import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let simultaneitySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.simultaneity, JudgesUniquenessAtOnce.self),
        SaboteurEntry(.simultaneity, TakesNullsForEqual.self),
        SaboteurEntry(.simultaneity, JudgesThePartsOfACompound.self),
        SaboteurEntry(.simultaneity, JudgesEachEntityAlone.self),
        SaboteurEntry(.simultaneity, JudgesByCanonicalEquivalence.self),
        SaboteurEntry(.simultaneity, JudgesBeginningsOfTexts.self),
        SaboteurEntry(.simultaneity, JudgesBeginningsOfBytes.self),
        SaboteurEntry(.simultaneity, JudgesShortValuesOnly.self),
        SaboteurEntry(.simultaneity, JoinsThePartsOfACompound.self),
        SaboteurEntry(.simultaneity, JoinsThePartsByNUL.self),
        SaboteurEntry(.simultaneity, JudgesStoredRowsOnly.self),
        SaboteurEntry(.simultaneity, JudgesInsertsOnly.self),
        SaboteurEntry(.simultaneity, ChecksReferencesInOrder.self),
        SaboteurEntry(.simultaneity, ChecksPairsFirst.self),
        SaboteurEntry(.simultaneity, KeepsPairsOfDeletedRows.self),
    ]
}

/// How a saboteur judges uniqueness.
struct UniquenessRule: Sendable {
    var isSequential = false
    var nullsAreEqual = false
    var judgesPartsAlone = false
    var judgesEntitiesAlone = false
    var isCanonical = false
    var ignoresUpdates = false
    var ignoresLongValues = false
    /// How a value is seen before it is compared.
    var view: @Sendable (StoredValue) -> StoredValue = { $0 }
    /// What stands between the parts of a compound text that is compared as one; null beside a text
    /// is empty.
    var joint: String?
}

/// Judges uniqueness by itself, over a store that has no constraints.
class UniquenessSaboteur: Saboteur, @unchecked Sendable {
    var rule: UniquenessRule { UniquenessRule() }

    override class func baseModel(_ model: ManagedObjectModel) -> ManagedObjectModel {
        let free = model.descriptions.map { description in
            var description = description
            description.uniquenessConstraints = []
            return description
        }
        return (try? ManagedObjectModel(free)) ?? model
    }

    override func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try base.metadata()
        metadata.modelChecksum = model.versionChecksum
        metadata.entityVersionHashes = model.entityVersionHashes
        return metadata
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let conflicts = try conflicts(changes)
        if !conflicts.isEmpty { return .conflicted(conflicts) }
        return try base.save(changes)
    }

    final func conflicts(_ changes: ChangeSet) throws(StoreError) -> [StoreConflict] {
        let snapshot = try base.snapshot()
        var state: [ManagedObjectID: Row] = [:]
        for entity in base.model.entities where entity.superentity == nil {
            let rows = try snapshot.cursor(StoreQuery(entity: entity.id)).remaining()
            for row in rows { state[id(row)] = row }
        }
        let stored = state
        let written = changes.inserts + (rule.ignoresUpdates ? [] : changes.updates.map(\.row))
        if !rule.isSequential {
            for update in changes.updates { state[id(update.row)] = update.row }
            for deletion in changes.deletes { state[deletion.id] = nil }
            for row in changes.inserts { state[id(row)] = row }
        }
        var seen: Set<Set<ManagedObjectID>> = []
        var conflicts: [StoreConflict] = []
        for row in written {
            for (constraint, other) in collisions(row, state)
            where seen.insert([id(row), id(other)]).inserted {
                conflicts.append(
                    .uniqueness(
                        UniquenessConflict(
                            constraint: constraint, id: id(row), otherID: id(other),
                            storedRow: written.contains { id($0) == id(other) }
                                ? nil : stored[id(other)])))
            }
            state[id(row)] = row
        }
        return conflicts
    }

    private func collisions(
        _ row: Row, _ state: [ManagedObjectID: Row]
    ) -> [(UniquenessConstraint, Row)] {
        let constraints = model[row.entityID].uniquenessConstraints
        return constraints.flatMap { constraint in
            state.values.filter { other in
                let entity = model[other.entityID]
                guard id(other) != id(row), entity.isKind(of: model[constraint.entity]) else {
                    return false
                }
                if rule.judgesEntitiesAlone, other.entityID != row.entityID { return false }
                return isEqual(row, other, constraint)
            }.map { (constraint, $0) }
        }
    }

    private func isEqual(_ a: Row, _ b: Row, _ constraint: UniquenessConstraint) -> Bool {
        let kinds = model[a.entityID].layout.kinds
        let slots = rule.judgesPartsAlone ? Array(constraint.slots.prefix(1)) : constraint.slots
        if let joint = rule.joint, slots.count > 1, slots.allSatisfy({ kinds[$0] == .text }) {
            let texts = [a, b].map { row in
                let parts = slots.map { row.value($0, kinds[$0]) }
                let isNull = parts.allSatisfy(\.isNull)
                return isNull ? nil : parts.map(\.textOrEmpty).joined(separator: joint)
            }
            guard let left = texts[0], let right = texts[1] else { return false }
            return StoredText(left) == StoredText(right)
        }
        return slots.allSatisfy { slot in
            let left = rule.view(a.value(slot, kinds[slot]))
            let right = rule.view(b.value(slot, kinds[slot]))
            if rule.ignoresLongValues, left.isLongerThanAKey { return false }
            if left.isNull || right.isNull { return rule.nullsAreEqual && left == right }
            if rule.isCanonical, case .text(let x) = left, case .text(let y) = right {
                return x.string == y.string
            }
            return left == right
        }
    }

    private func id(_ row: Row) -> ManagedObjectID { row.objectID(in: model, store: handle) }
}

final class JudgesUniquenessAtOnce: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(isSequential: true) }
}

final class TakesNullsForEqual: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(nullsAreEqual: true) }
}

final class JudgesThePartsOfACompound: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(judgesPartsAlone: true) }
}

final class JudgesEachEntityAlone: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(judgesEntitiesAlone: true) }
}

final class JudgesByCanonicalEquivalence: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(isCanonical: true) }
}

final class JudgesBeginningsOfTexts: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(view: { $0.beginningOfText }) }
}

final class JudgesBeginningsOfBytes: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(view: { $0.beginningOfBytes }) }
}

final class JudgesShortValuesOnly: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(ignoresLongValues: true) }
}

final class JoinsThePartsOfACompound: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(joint: "") }
}

final class JoinsThePartsByNUL: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(joint: "\u{0}") }
}

final class JudgesStoredRowsOnly: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule() }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        // One at a time, so that twins do not see each other.
        for row in changes.inserts {
            let alone = ChangeSet(
                inserts: [row], updates: changes.updates, deletes: changes.deletes)
            let conflicts = try conflicts(alone)
            if !conflicts.isEmpty { return .conflicted(conflicts) }
        }
        return try base.save(changes)
    }
}

final class JudgesInsertsOnly: UniquenessSaboteur, @unchecked Sendable {
    override var rule: UniquenessRule { UniquenessRule(ignoresUpdates: true) }
}

final class ChecksReferencesInOrder: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let snapshot = try base.snapshot()
        var known: Set<ManagedObjectID> = []
        for row in changes.inserts {
            for relationship in model[row.entityID].relationships {
                guard let id = row.destination(of: relationship, in: model, store: handle) else {
                    continue
                }
                if id.isTemporaryID || known.contains(id) { continue }
                if try snapshot.rows(for: [id]).isEmpty {
                    throw StoreError(.invalidRequest, "A foreign key is violated.")
                }
            }
            known.insert(row.objectID(in: model, store: handle))
        }
        return try base.save(changes)
    }
}

final class ChecksPairsFirst: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        let snapshot = try base.snapshot()
        for index in changes.edges.indices {
            var kept: [EdgeChange.Edge] = []
            for edge in changes.edges[index].added {
                if try snapshot.rows(for: [edge.source, edge.destination]).count == 2 {
                    kept.append(edge)
                }
            }
            changes.edges[index].added = kept
        }
        return try base.save(changes)
    }
}

final class KeepsPairsOfDeletedRows: Saboteur, @unchecked Sendable {
    private let added = Guarded<[EdgeChange]>([])

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .saved = outcome {
            // Pairs added before come back with the next row of the same key.
            let old = added.value
            added.change { $0 += changes.edges }
            if !changes.inserts.isEmpty, !old.isEmpty { _ = try base.save(ChangeSet(edges: old)) }
        }
        return outcome
    }
}
