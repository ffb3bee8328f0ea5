import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let concurrencySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.concurrency, SavesWithoutReadersOnly.self),
        SaboteurEntry(.concurrency, EndsCursorsAtASave.self),
        SaboteurEntry(.concurrency, NeverGivesReadersBack.self),
        SaboteurEntry(.concurrency, HasFewReaders.self),
        SaboteurEntry(.concurrency, ReadsForOneThreadOnly.self),
        SaboteurEntry(.concurrency, LosesSavesMadeAtOnce.self),
        SaboteurEntry(.concurrency, ChecksBeforeItsTurn.self),
        SaboteurEntry(.concurrency, LetsAllWin.self),
        SaboteurEntry(.concurrency, ShowsHalfSaves.self),
    ]
}

/// Counts the snapshots that are open.
class CountingReaders: Saboteur, @unchecked Sendable {
    let open = Counted()

    override func snapshot() throws(StoreError) -> SabotagedSnapshot {
        open.add(1)
        return SabotagedSnapshot(
            try base.snapshot(), SnapshotHooks(onRelease: { [open] in open.add(-1) }))
    }
}

final class SavesWithoutReadersOnly: CountingReaders, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        if open.value > 0 { throw StoreError(.storeBusy, "A reader is open.") }
        return try base.save(changes)
    }
}

final class HasFewReaders: CountingReaders, @unchecked Sendable {
    override func snapshot() throws(StoreError) -> SabotagedSnapshot {
        if open.value >= 8 { throw StoreError(.io, "No file descriptors are left.") }
        return try super.snapshot()
    }
}

final class NeverGivesReadersBack: Saboteur, @unchecked Sendable {
    private let made = Counted()

    override func snapshot() throws(StoreError) -> SabotagedSnapshot {
        if made.add(1) > 300 { throw StoreError(.readersExhausted, "All readers are in use.") }
        return try super.snapshot()
    }
}

final class EndsCursorsAtASave: Saboteur, @unchecked Sendable {
    private final class Ending: StoreCursor {
        let base: any StoreCursor
        let saves: Counted
        let start: Int

        init(_ base: any StoreCursor, _ saves: Counted) {
            self.base = base
            self.saves = saves
            start = saves.value
        }

        func next(maximumRows: Int) throws(StoreError) -> RowBatch? {
            saves.value == start ? try base.next(maximumRows: maximumRows) : nil
        }
    }

    private let saves = Counted()

    override var hooks: SnapshotHooks {
        SnapshotHooks(cursor: { [saves] (base, query) throws(StoreError) in
            Ending(try base.cursor(query), saves)
        })
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        saves.add(1)
        return try base.save(changes)
    }
}

final class ReadsForOneThreadOnly: Saboteur, @unchecked Sendable {
    private let first = Guarded<ObjectIdentifier?>(nil)

    override var hooks: SnapshotHooks {
        SnapshotHooks(rows: { [first] (base, ids) throws(StoreError) in
            let mine = ObjectIdentifier(Thread.current)
            let owner = first.change { owner in
                if owner == nil { owner = mine }
                return owner
            }
            if owner != mine { throw StoreError(.io, "A connection is used by two threads.") }
            return try base.rows(for: ids)
        })
    }
}

final class LosesSavesMadeAtOnce: Saboteur, @unchecked Sendable {
    private let saving = Counted()

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        defer { saving.add(-1) }
        if saving.add(1) > 1 {
            return .saved(
                SaveReceipt(
                    generation: try base.snapshot().generation,
                    insertedVersions: changes.inserts.map { _ in RowVersion(rawValue: 1) },
                    updatedVersions: changes.updates.map { _ in RowVersion(rawValue: 1) }))
        }
        // Gives others the time to come at once.
        Thread.sleep(forTimeInterval: 0.001)
        return try base.save(changes)
    }
}

final class ChecksBeforeItsTurn: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let snapshot = try base.snapshot()
        for update in changes.updates {
            let id = update.row.objectID(in: model, store: handle)
            if try snapshot.rows(for: [id]).first?.version != update.baseVersion {
                return try base.save(changes)
            }
        }
        Thread.sleep(forTimeInterval: 0.001)
        var forced = changes
        let later = try base.snapshot()
        for index in forced.updates.indices {
            let id = forced.updates[index].row.objectID(in: model, store: handle)
            guard let row = try later.rows(for: [id]).first else { continue }
            forced.updates[index].baseVersion = row.version
        }
        return try base.save(forced)
    }
}

final class LetsAllWin: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        guard case .conflicted(let conflicts) = outcome,
            conflicts.allSatisfy({ if case .uniqueness = $0 { true } else { false } })
        else { return outcome }
        return .saved(
            SaveReceipt(
                generation: try base.snapshot().generation,
                insertedVersions: changes.inserts.map { _ in RowVersion(rawValue: 1) },
                updatedVersions: changes.updates.map { _ in RowVersion(rawValue: 1) }))
    }
}

final class ShowsHalfSaves: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        guard changes.updates.count > 1 else { return try base.save(changes) }
        var first = changes
        first.updates = [changes.updates[0]]
        var second = ChangeSet(updates: Array(changes.updates.dropFirst()))
        second.cancellation = changes.cancellation
        guard case .saved(var receipt) = try base.save(first) else { return try base.save(changes) }
        Thread.sleep(forTimeInterval: 0.001)
        guard case .saved(let rest) = try base.save(second) else { return .saved(receipt) }
        receipt.updatedVersions += rest.updatedVersions
        receipt.generation = rest.generation
        return .saved(receipt)
    }
}
