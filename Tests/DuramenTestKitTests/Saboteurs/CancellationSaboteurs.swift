import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let cancellationSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.cancellation, IgnoresTheFlagOfSaves.self),
        SaboteurEntry(.cancellation, FailsAfterTheCommit.self),
        SaboteurEntry(.cancellation, IgnoresTheFlagOfQueries.self),
        SaboteurEntry(.cancellation, LooksAtTheFlagOnce.self),
        SaboteurEntry(.cancellation, StaysCancelled.self),
        SaboteurEntry(.cancellation, TakesEveryFlagForRaised.self),
        SaboteurEntry(.cancellation, TakesSavesBack.self),
    ]
}

final class IgnoresTheFlagOfSaves: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.cancellation = nil
        return try base.save(changes)
    }
}

final class FailsAfterTheCommit: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var deaf = changes
        deaf.cancellation = nil
        // Leaves time for the flag, between the save and the look at it.
        let outcome = try base.save(deaf)
        for _ in 0..<20_000 where changes.cancellation?.isCancelled == false { continue }
        if changes.cancellation?.isCancelled == true { throw StoreError(.cancelled, "Too late.") }
        return outcome
    }
}

final class IgnoresTheFlagOfQueries: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        @Sendable func deaf(_ query: StoreQuery) -> StoreQuery {
            var query = query
            query.cancellation = nil
            return query
        }
        return SnapshotHooks(
            cursor: { (base, query) throws(StoreError) in try base.cursor(deaf(query)) },
            count: { (base, query) throws(StoreError) in try base.count(deaf(query)) },
            objectIDs: { (base, query) throws(StoreError) in try base.objectIDs(deaf(query)) })
    }
}

final class LooksAtTheFlagOnce: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(cursor: { (base, query) throws(StoreError) in
            if query.cancellation?.isCancelled == true {
                throw StoreError(.cancelled, "Cancelled.")
            }
            var query = query
            query.cancellation = nil
            return try base.cursor(query)
        })
    }
}

final class StaysCancelled: Saboteur, @unchecked Sendable {
    private let wasCancelled = Guarded(false)

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        if changes.cancellation?.isCancelled == true { wasCancelled.change { $0 = true } }
        if wasCancelled.value { throw StoreError(.cancelled, "Still cancelled.") }
        return try base.save(changes)
    }
}

final class TakesEveryFlagForRaised: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        if changes.cancellation != nil { throw StoreError(.cancelled, "There is a flag.") }
        return try base.save(changes)
    }
}

final class TakesSavesBack: Saboteur, @unchecked Sendable {
    private let last = Guarded<(flag: CancellationFlag, before: any StoreSnapshot)?>(nil)

    override func snapshot() throws(StoreError) -> SabotagedSnapshot {
        if let last = last.value, last.flag.isCancelled {
            return SabotagedSnapshot(last.before, SnapshotHooks())
        }
        return try super.snapshot()
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let before = try base.snapshot()
        let outcome = try base.save(changes)
        if let flag = changes.cancellation { last.change { $0 = (flag, before) } }
        return outcome
    }
}
