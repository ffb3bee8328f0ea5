import DuramenModel
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let checkSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.atomicity, IgnoresChecks.self),
        SaboteurEntry(.atomicity, IgnoresChecksOfMissingRows.self),
        SaboteurEntry(.atomicity, ComparesOnlyBesideEdits.self),
        SaboteurEntry(.atomicity, WritesWhatItChecks.self),
        SaboteurEntry(.atomicity, ComparesAfterWriting.self),
        SaboteurEntry(.atomicity, ReportsChecksAlone.self),
        SaboteurEntry(.atomicity, DropsChecksOfStrangers.self),
    ]
}

/// Saves without some of the checks.
class CheckSaboteur: Saboteur, @unchecked Sendable {
    func isDropped(_ check: RowCheck, of changes: ChangeSet) throws(StoreError) -> Bool { false }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        var kept: [RowCheck] = []
        for check in changes.checks where try !isDropped(check, of: changes) { kept.append(check) }
        changes.checks = kept
        return try base.save(changes)
    }
}

/// Snapshot isolation without a way out.
final class IgnoresChecks: CheckSaboteur, @unchecked Sendable {
    override func isDropped(_ check: RowCheck, of changes: ChangeSet) -> Bool { true }
}

final class IgnoresChecksOfMissingRows: CheckSaboteur, @unchecked Sendable {
    override func isDropped(
        _ check: RowCheck, of changes: ChangeSet
    ) throws(StoreError) -> Bool { try base.snapshot().row(for: check.id) == nil }
}

final class ComparesOnlyBesideEdits: CheckSaboteur, @unchecked Sendable {
    override func isDropped(_ check: RowCheck, of changes: ChangeSet) -> Bool {
        var rest = changes
        rest.checks = []
        return rest.isEmpty
    }
}

final class DropsChecksOfStrangers: CheckSaboteur, @unchecked Sendable {
    override func isDropped(_ check: RowCheck, of changes: ChangeSet) -> Bool {
        check.id.isTemporaryID || check.id.store != handle
    }
}

/// Locks rows by writing them, as many a database does.
final class WritesWhatItChecks: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var written = changes
        let snapshot = try base.snapshot()
        let (model, store) = (model, handle)
        let edited = Set(
            changes.updates.map { $0.row.objectID(in: model, store: store) }
                + changes.deletes.map(\.id))
        for check in changes.checks where !edited.contains(check.id) {
            guard let row = try snapshot.row(for: check.id) else { continue }
            written.updates.append(
                RowUpdate(row: row, baseVersion: check.baseVersion, changedSlots: SlotSet()))
            written.checks.removeAll { $0 == check }
        }
        let outcome = try base.save(written)
        guard case .saved(var receipt) = outcome else { return outcome }
        receipt.updatedVersions = Array(receipt.updatedVersions.prefix(changes.updates.count))
        return .saved(receipt)
    }
}

/// Calls every row a conflict that the save itself writes.
final class ComparesAfterWriting: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let (model, store) = (model, handle)
        let edited = Set(
            changes.updates.map { $0.row.objectID(in: model, store: store) }
                + changes.deletes.map(\.id))
        guard let check = changes.checks.first(where: { edited.contains($0.id) }) else {
            return try base.save(changes)
        }
        return .conflicted([
            .version(
                VersionConflict(
                    id: check.id, baseVersion: check.baseVersion,
                    storedRow: try base.snapshot().row(for: check.id)))
        ])
    }
}

final class ReportsChecksAlone: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        guard case .conflicted(let conflicts) = outcome else { return outcome }
        let checked = Set(changes.checks.map(\.id))
        let others = conflicts.filter { !checked.contains($0.id) }
        return .conflicted(others.isEmpty ? conflicts : others)
    }
}
