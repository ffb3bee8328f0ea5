import DuramenModel
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let observationSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.observation, TellsOfTheFirstCommitOnly.self),
        SaboteurEntry(.observation, TellsTooEarly.self),
        SaboteurEntry(.observation, TellsForEver.self),
    ]
}

final class TellsOfTheFirstCommitOnly: Saboteur, @unchecked Sendable {
    override func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        let calls = Guarded(0)
        return try super.observeChanges {
            if calls.change({ count -> Int in
                count += 1
                return count
            }) == 1 {
                body()
            }
        }
    }
}

/// Says that something happens before it has.
final class TellsTooEarly: Saboteur, @unchecked Sendable {
    private let bodies = Guarded<[@Sendable () -> Void]>([])

    override func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        bodies.change { $0.append(body) }
        return StoreObservation {}
    }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        for body in bodies.value { body() }
        return try super.save(changes)
    }
}

final class TellsForEver: Saboteur, @unchecked Sendable {
    private let observations = Guarded<[StoreObservation?]>([])

    override func observeChanges(
        _ body: @escaping @Sendable () -> Void
    ) throws(StoreError) -> StoreObservation? {
        let observation = try super.observeChanges(body)
        observations.change { $0.append(observation) }
        return StoreObservation {}
    }
}
