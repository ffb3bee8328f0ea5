import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let historySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.history, TellsWhatWasBeforeTheHistory.self),
        SaboteurEntry(.history, BeginsItsHistoryAnew.self),
        SaboteurEntry(.history, LosesTheAuthor.self),
        SaboteurEntry(.history, TellsOfConflicts.self),
        SaboteurEntry(.history, LosesSavesOfMetadata.self),
        SaboteurEntry(.history, ForgetsItsHistoryWhenClosed.self),
        SaboteurEntry(.history, TellsEveryPropertyOfAnUpdate.self),
        SaboteurEntry(.history, TellsOnlyOneEndOfAPair.self),
        SaboteurEntry(.history, LeavesNoValues.self),
        SaboteurEntry(.history, TellsHundredChanges.self),
        SaboteurEntry(.history, TellsOnlyTheFirstPart.self),
        SaboteurEntry(.history, CountsFromTheTransactionItself.self),
        SaboteurEntry(.history, SkipsWhatIsGone.self),
        SaboteurEntry(.history, NumbersChangesAnew.self),
        SaboteurEntry(.history, DeletesWhateverItsAge.self),
        SaboteurEntry(.history, DeletesWhatConsumersNeed.self),
        SaboteurEntry(.history, KeepsForTheLapsed.self),
        SaboteurEntry(.history, "DeclaresHistoryOnly") { (model, location) throws(StoreError) in
            DeclaresWithoutConforming(try Saboteur(model, location), [.durable, .history])
        },
    ]
}

/// Changes the transactions that are told.
class HistorySaboteur: Saboteur, @unchecked Sendable {
    func altered(_ transaction: PersistentHistoryTransaction) -> PersistentHistoryTransaction? {
        transaction
    }

    func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? { change }

    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try super.history(request).compactMap { transaction in
            var transaction = transaction
            transaction.changes = transaction.changes?.compactMap { altered($0) }
            return altered(transaction)
        }
    }
}

final class TellsWhatWasBeforeTheHistory: Saboteur, @unchecked Sendable {
    required init(_ model: ManagedObjectModel, _ location: String) throws(StoreError) {
        try super.init(model, location)
        try super.beginHistory()
    }
}

final class BeginsItsHistoryAnew: Saboteur, @unchecked Sendable {
    override func beginHistory() throws(StoreError) {
        try super.beginHistory()
        _ = try super.deleteHistory(HistoryDeletion())
    }
}

final class LosesTheAuthor: HistorySaboteur, @unchecked Sendable {
    override func altered(
        _ transaction: PersistentHistoryTransaction
    ) -> PersistentHistoryTransaction? {
        var transaction = transaction
        if transaction.author?.isEmpty == true { transaction.author = nil }
        return transaction
    }
}

/// Counts a refused save as an empty transaction.
final class TellsOfConflicts: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try super.save(changes)
        if case .conflicted = outcome { _ = try super.save(ChangeSet(author: changes.author)) }
        return outcome
    }
}

final class LosesSavesOfMetadata: HistorySaboteur, @unchecked Sendable {
    override func altered(
        _ transaction: PersistentHistoryTransaction
    ) -> PersistentHistoryTransaction? {
        transaction.changes?.isEmpty == true ? nil : transaction
    }
}

final class ForgetsItsHistoryWhenClosed: Saboteur, @unchecked Sendable {
    override func close() throws(StoreError) {
        if try super.historyExtent() != nil { _ = try super.deleteHistory(HistoryDeletion()) }
        try super.close()
    }
}

final class TellsEveryPropertyOfAnUpdate: HistorySaboteur, @unchecked Sendable {
    override func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? {
        var change = change
        change.updatedProperties?.insert("rank")
        return change
    }
}

final class TellsOnlyOneEndOfAPair: HistorySaboteur, @unchecked Sendable {
    override func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? {
        var change = change
        change.updatedProperties?.remove("relatedBy")
        return change
    }
}

final class LeavesNoValues: HistorySaboteur, @unchecked Sendable {
    override func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? {
        var change = change
        change.tombstone = nil
        return change
    }
}

final class TellsHundredChanges: HistorySaboteur, @unchecked Sendable {
    override func altered(
        _ transaction: PersistentHistoryTransaction
    ) -> PersistentHistoryTransaction? {
        var transaction = transaction
        transaction.changes = transaction.changes.map { Array($0.prefix(100)) }
        return transaction
    }
}

final class TellsOnlyTheFirstPart: Saboteur, @unchecked Sendable {
    private let firsts = Guarded<[Int64: Int]>([:])

    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var count: Int?
        let made = try super.writeBatch(heading) { transaction throws(StoreError) in
            let hooks = BatchHooks(write: { (inner, part) throws(StoreError) in
                count = count ?? part.inserts.count + part.updates.count + part.deletes.count
                return try inner.write(part)
            })
            try body(SabotagedBatch(transaction, hooks))
        }
        if let made, let count { firsts.change { $0[made.rawValue] = count } }
        return made
    }

    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try super.history(request).map { transaction in
            guard let count = firsts.value[transaction.transactionNumber] else {
                return transaction
            }
            var transaction = transaction
            transaction.changes = transaction.changes.map { Array($0.prefix(count)) }
            return transaction
        }
    }
}

final class CountsFromTheTransactionItself: Saboteur, @unchecked Sendable {
    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        var request = request
        let first = try super.historyExtent()?.deletedThrough ?? 0
        if request.after > first { request.after -= 1 }
        return try super.history(request)
    }
}

/// Tells what is left, and not that something is missing.
final class SkipsWhatIsGone: Saboteur, @unchecked Sendable {
    override func history(
        _ request: HistoryRequest
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        var request = request
        request.after = max(request.after, try super.historyExtent()?.deletedThrough ?? 0)
        return try super.history(request)
    }
}

final class NumbersChangesAnew: HistorySaboteur, @unchecked Sendable {
    private let gone = Guarded<Int64>(0)

    override func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        if let after = try super.historyExtent()?.deletedThrough {
            let count = try super.history(HistoryRequest(after: after))
                .flatMap { $0.changes ?? [] }.map(\.changeID).max()
            gone.change { $0 = count ?? $0 }
        }
        return try super.deleteHistory(deletion)
    }

    override func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? {
        var change = change
        if change.changeID > gone.value { change.changeID -= gone.value }
        return change
    }
}

final class DeletesWhateverItsAge: Saboteur, @unchecked Sendable {
    override func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        try super.deleteHistory(HistoryDeletion(through: deletion.through))
    }
}

final class DeletesWhatConsumersNeed: Saboteur, @unchecked Sendable {
    override func deleteHistory(
        _ deletion: HistoryDeletion
    ) throws(StoreError) -> HistoryDeletion.Outcome {
        let consumers = try super.historyConsumers()
        for consumer in consumers { try super.removeHistoryConsumer(named: consumer.name) }
        let outcome = try super.deleteHistory(deletion)
        for consumer in consumers {
            try super.setHistoryConsumer(
                named: consumer.name, at: consumer.transactionNumber,
                leaseSeconds: consumer.leaseSeconds)
        }
        return outcome
    }
}

final class KeepsForTheLapsed: Saboteur, @unchecked Sendable {
    override func setHistoryConsumer(
        named name: String, at transactionNumber: Int64, leaseSeconds: Double
    ) throws(StoreError) {
        try super.setHistoryConsumer(
            named: name, at: transactionNumber, leaseSeconds: max(leaseSeconds, 60))
    }
}
