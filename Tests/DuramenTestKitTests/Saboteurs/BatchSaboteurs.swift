import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let batchSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.batches, ShowsPartsAtOnce.self),
        SaboteurEntry(.batches, ForgetsBatches.self),
        SaboteurEntry(.batches, KeepsFailedBatches.self),
        SaboteurEntry(.batches, IgnoresTheFlagOfBatches.self),
        SaboteurEntry(.batches, MakesStatesOfNothing.self),
        SaboteurEntry(.batches, LosesTheMetadataOfBatches.self),
        SaboteurEntry(.batches, DropsPartsInConflict.self),
        SaboteurEntry(.batches, JudgesPartsByTheBase.self),
        SaboteurEntry(.batches, WritesEditsOneByOne.self),
        SaboteurEntry(.batches, TakesEveryBase.self),
        SaboteurEntry(.batches, LeavesVersions.self),
        SaboteurEntry(.batches, LosesPairsOfBatches.self),
        SaboteurEntry(.batches, UpsertsNothingThatIsKnown.self),
        SaboteurEntry(.batches, "DeclaresBatchesOnly") { (model, location) throws(StoreError) in
            DeclaresWithoutConforming(try Saboteur(model, location), [.durable, .batches])
        },
    ]
}

/// What the transaction of a batch does otherwise; nil for nothing.
struct BatchHooks {
    var write: ((any BatchTransaction, ChangeSet) throws(StoreError) -> [UniquenessConflict])?
    var upsert: ((any BatchTransaction, RowList) throws(StoreError) -> [Int64]?)?
}

final class SabotagedBatch: BatchTransaction {
    private let inner: any BatchTransaction
    private let hooks: BatchHooks

    init(_ inner: any BatchTransaction, _ hooks: BatchHooks) {
        self.inner = inner
        self.hooks = hooks
    }

    var base: any StoreSnapshot { inner.base }

    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try inner.allocateKeys(count, for: entity)
    }

    func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
        if let write = hooks.write { return try write(inner, part) }
        return try inner.write(part)
    }

    func upsert(_ rows: RowList, taking slots: [SlotSet]?) throws(StoreError) -> [Int64]? {
        if let upsert = hooks.upsert { return try upsert(inner, rows) }
        return try inner.upsert(rows, taking: slots)
    }
}

/// The parts are saves.
final class ShowsPartsAtOnce: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        let batch = SavesParts(self, try base.snapshot())
        try body(batch)
        if let flag = heading.cancellation, flag.isCancelled {
            throw StoreError(.cancelled, "Cancelled.")
        }
        return batch.generation
    }

    private final class SavesParts: BatchTransaction {
        let base: any StoreSnapshot
        private let store: Saboteur
        private(set) var generation: StoreGeneration?

        init(_ store: Saboteur, _ base: any StoreSnapshot) {
            self.store = store
            self.base = base
        }

        func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
            try store.base.allocateKeys(count, for: entity)
        }

        func write(_ part: ChangeSet) throws(StoreError) -> [UniquenessConflict] {
            switch try store.base.save(part) {
            case .saved(let receipt):
                generation = receipt.generation
                return []
            case .conflicted(let conflicts):
                return conflicts.compactMap {
                    if case .uniqueness(let conflict) = $0 { conflict } else { nil }
                }
            }
        }
    }
}

final class ForgetsBatches: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var heading = heading
        heading.identifier = UUID()
        return try super.writeBatch(heading, body)
    }
}

final class KeepsFailedBatches: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var failure: StoreError?
        let made = try super.writeBatch(heading) { transaction throws(StoreError) in
            do throws(StoreError) {
                try body(transaction)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return made
    }
}

final class IgnoresTheFlagOfBatches: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var heading = heading
        heading.cancellation = nil
        return try super.writeBatch(heading, body)
    }
}

final class MakesStatesOfNothing: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        try super.writeBatch(heading) { transaction throws(StoreError) in
            try body(transaction)
            _ = try transaction.write(ChangeSet())
        }
    }
}

final class LosesTheMetadataOfBatches: Saboteur, @unchecked Sendable {
    override func writeBatch(
        _ heading: ChangeSet, _ body: (any BatchTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreGeneration? {
        var heading = heading
        heading.metadata = [:]
        return try super.writeBatch(heading, body)
    }
}

final class DropsPartsInConflict: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(write: { (inner, part) throws(StoreError) in
            _ = try inner.write(part)
            return []
        })
    }
}

/// Names no row of an earlier part.
final class JudgesPartsByTheBase: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(write: { (inner, part) throws(StoreError) in
            try inner.write(part).filter { (try? inner.base.row(for: $0.otherID)) ?? nil != nil }
        })
    }
}

final class WritesEditsOneByOne: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(write: { (inner, part) throws(StoreError) in
            if part.updates.count < 2 { return try inner.write(part) }
            for update in part.updates {
                let conflicts = try inner.write(ChangeSet(updates: [update]))
                if !conflicts.isEmpty { return conflicts }
            }
            return []
        })
    }
}

final class TakesEveryBase: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(write: { (inner, part) throws(StoreError) in
            do throws(StoreError) {
                return try inner.write(part)
            } catch {
                if error.code == .invalidRequest { return [] }
                throw error
            }
        })
    }
}

/// A batch leaves no trace that a save would notice.
final class LeavesVersions: Saboteur, @unchecked Sendable {
    private let written = Guarded<Set<Int64>>([])

    override var batchHooks: BatchHooks {
        BatchHooks(write: { [written] (inner, part) throws(StoreError) in
            written.change { keys in part.updates.forEach { keys.insert($0.row.key) } }
            return try inner.write(part)
        })
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for place in changes.updates.indices
        where written.value.contains(changes.updates[place].row.key) {
            let id = changes.updates[place].row.objectID(in: model, store: handle)
            if let row = try base.snapshot().row(for: id) {
                changes.updates[place].baseVersion = row.version
            }
        }
        return try base.save(changes)
    }
}

final class LosesPairsOfBatches: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(write: { (inner, part) throws(StoreError) in
            var part = part
            part.edges = []
            return try inner.write(part)
        })
    }
}

final class UpsertsNothingThatIsKnown: Saboteur, @unchecked Sendable {
    override var batchHooks: BatchHooks {
        BatchHooks(upsert: { (inner, rows) throws(StoreError) in
            for row in rows { _ = try inner.write(ChangeSet(inserts: RowList([row]))) }
            return rows.map(\.key)
        })
    }
}
