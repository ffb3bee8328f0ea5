import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let derivedSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.derivation, DerivesNothing.self),
        SaboteurEntry(.derivation, DerivesForNewObjectsOnly.self),
        SaboteurEntry(.derivation, DerivesWithoutPairs.self),
        SaboteurEntry(.derivation, DerivesWithoutDeletions.self),
        SaboteurEntry(.derivation, DerivesAlways.self),
        SaboteurEntry(.derivation, DerivesInSilence.self),
        SaboteurEntry(.derivation, TellsRowsBeforeTheyWereDerived.self),
        SaboteurEntry(.derivation, DerivesNothingInBatches.self),
        SaboteurEntry(.derivation, DerivesAfterTheSave.self),
        SaboteurEntry(.derivation, TakesGivenValues.self),
    ]
}

extension ChangeSet {
    fileprivate func keepingDerivedValues(_ keeps: Bool = true) -> ChangeSet {
        var copy = self
        copy.keepsDerivedValues = keeps
        return copy
    }
}

final class DerivesNothing: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try super.save(changes.keepingDerivedValues())
    }
}

final class DerivesForNewObjectsOnly: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try super.save(
            changes.inserts.isEmpty ? changes.keepingDerivedValues() : changes)
    }
}

final class DerivesWithoutPairs: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let isAlone = changes.inserts.isEmpty && changes.deletes.isEmpty
        return try super.save(
            isAlone && !changes.edges.isEmpty ? changes.keepingDerivedValues() : changes)
    }
}

final class DerivesWithoutDeletions: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try super.save(changes.deletes.isEmpty ? changes : changes.keepingDerivedValues())
    }
}

/// Computes also where values are to be written as they are.
final class DerivesAlways: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        try super.save(changes.keepingDerivedValues(false))
    }
}

/// Does not say what it derived.
final class DerivesInSilence: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        guard case .saved(var receipt) = try super.save(changes) else {
            return try super.save(changes)
        }
        receipt.derivedRows = []
        return .saved(receipt)
    }
}

final class TellsRowsBeforeTheyWereDerived: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try super.save(changes)
        guard case .saved(var receipt) = outcome else { return outcome }
        receipt.derivedRows = receipt.derivedRows.map {
            DerivedRow(row: $0.base ?? $0.row, base: $0.base)
        }
        return .saved(receipt)
    }
}

final class DerivesNothingInBatches: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks { transaction, part throws(StoreError) in
            try transaction.write(part.keepingDerivedValues())
        }
    }
}

/// Writes first and derives in a second save, so that there are two transactions, and a refusal
/// comes too late.
final class DerivesAfterTheSave: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try super.save(changes.keepingDerivedValues())
        guard case .saved(let receipt) = outcome, !changes.keepsDerivedValues else {
            return outcome
        }
        _ = try DerivedRecomputation(BatchSettings()).run(on: base)
        return .saved(receipt)
    }
}

/// Derives nothing where the caller gives something else, too.
final class TakesGivenValues: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let derived = Set(model.derivations.map(\.attribute.slot))
        let isGiven = changes.updates.contains { update in
            let name = model[update.row.entityID].name
            return StoredText(name) == "Label"
                && update.changedSlots.slots.contains { derived.contains($0) }
        }
        return try super.save(isGiven ? changes.keepingDerivedValues() : changes)
    }
}
