import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let keySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.keys, HandsOutTheLastKeyTwice.self),
        SaboteurEntry(.keys, CountsKeysPerEntity.self),
        SaboteurEntry(.keys, HandsOutLeasesAtMost.self),
        SaboteurEntry(.keys, RacesForKeys.self),
        SaboteurEntry(.keys, TakesBackKeysOfConflicts.self),
        SaboteurEntry(.keys, TakesBackKeysOfDeletedRows.self),
        SaboteurEntry(.keys, ForgetsLeasesWhenClosed.self),
        SaboteurEntry(.keys, NumbersRowsItself.self),
        SaboteurEntry(.keys, TakesTemporaryKeys.self),
        SaboteurEntry(.keys, TakesTemporaryReferences.self),
        SaboteurEntry(.keys, KeepsOneRowPerKey.self),
    ]
}

final class HandsOutTheLastKeyTwice: Saboteur, @unchecked Sendable {
    override func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<
        Int64
    > {
        if count == 0 { return 1..<1 }
        let keys = try base.allocateKeys(count, for: entity)
        return keys.lowerBound > 1 ? keys.lowerBound - 1..<keys.upperBound - 1 : keys
    }
}

/// Counts keys by itself, from 1.
class CountingSaboteur: Saboteur, @unchecked Sendable {
    let next = Guarded<[EntityID: Int64]>([:])

    func space(of entity: EntityID) -> EntityID { model[entity].root }

    override func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<
        Int64
    > {
        let space = space(of: entity)
        return next.change { next in
            let first = next[space] ?? 1
            next[space] = first + Int64(count)
            return first..<first + Int64(count)
        }
    }
}

final class CountsKeysPerEntity: CountingSaboteur, @unchecked Sendable {
    override func space(of entity: EntityID) -> EntityID { entity }
}

final class ForgetsLeasesWhenClosed: CountingSaboteur, @unchecked Sendable {}

final class TakesBackKeysOfConflicts: CountingSaboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .conflicted = outcome {
            for row in changes.inserts {
                next.change { $0[space(of: row.entityID)] = row.key }
            }
        }
        return outcome
    }
}

final class TakesBackKeysOfDeletedRows: CountingSaboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .saved = outcome {
            for deletion in changes.deletes {
                guard let entity = model.entity(of: deletion.id) else { continue }
                next.change { $0[entity.root] = deletion.id.key }
            }
        }
        return outcome
    }
}

final class HandsOutLeasesAtMost: Saboteur, @unchecked Sendable {
    override func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<
        Int64
    > {
        try base.allocateKeys(min(count, 256), for: entity)
    }
}

final class RacesForKeys: Saboteur, @unchecked Sendable {
    private let inside = Counted()
    private let last = Guarded<[EntityID: Range<Int64>]>([:])

    override func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<
        Int64
    > {
        defer { inside.add(-1) }
        let root = model[entity].root
        // Who comes while another is here gets what that one got.
        if inside.add(1) > 1, let keys = last.value[root], keys.count >= count {
            return keys.lowerBound..<keys.lowerBound + Int64(count)
        }
        let keys = try base.allocateKeys(count, for: entity)
        last.change { $0[root] = keys }
        Thread.sleep(forTimeInterval: 0.0005)
        return keys
    }
}

final class NumbersRowsItself: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        let generation = try base.snapshot().generation.rawValue
        for (index, row) in changes.inserts.enumerated() where row.key > 0 {
            changes.inserts[index] = row.renamed(Int64(index) + 1 + generation * 1000, model)
        }
        return try base.save(changes)
    }
}

extension Row {
    /// The same values under another key.
    func renamed(_ key: Int64, _ model: ManagedObjectModel) -> Row {
        let layout = model[entityID].layout
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(entity: entityID, slotCount: layout.slotCount, key: key, version: version)
        for slot in 0..<layout.slotCount where !isNull(slot) {
            if layout.kinds[slot].isTail {
                withBytes(slot) { builder.set(bytes: $0, at: slot) }
            } else {
                builder.set(integer: integer(slot), at: slot)
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    /// The same values, references by temporary keys made null.
    func withoutTemporaryReferences(_ model: ManagedObjectModel) -> Row {
        let layout = model[entityID].layout
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(entity: entityID, slotCount: layout.slotCount, key: key, version: version)
        for slot in 0..<layout.slotCount where !isNull(slot) {
            if layout.kinds[slot].isTail {
                withBytes(slot) { builder.set(bytes: $0, at: slot) }
            } else if layout.kinds[slot] != .reference || integer(slot) >= 0 {
                builder.set(integer: integer(slot), at: slot)
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }
}

final class TakesTemporaryKeys: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for (index, row) in changes.inserts.enumerated() where row.key < 0 {
            changes.inserts[index] = row.renamed(1 << 40 - row.key, model)
        }
        return try base.save(changes)
    }
}

final class TakesTemporaryReferences: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for index in changes.updates.indices {
            changes.updates[index].row = changes.updates[index].row.withoutTemporaryReferences(
                model)
        }
        return try base.save(changes)
    }
}

final class KeepsOneRowPerKey: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        var seen: Set<Int64> = []
        changes.inserts.removeAll { !seen.insert($0.key).inserted }
        return try base.save(changes)
    }
}
