import DuramenModel
import DuramenStore
import DuramenTestKit

extension SaboteurEntry {
    static let groupSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.groups, "DeclaresGroupsOnly") { (model, location) throws(StoreError) in
            DeclaresWithoutConforming(try Saboteur(model, location), [.durable, .groupSaves])
        },
        SaboteurEntry(.groups, SwapsResults.self),
        SaboteurEntry(.groups, TellsOneState.self),
        SaboteurEntry(.groups, SavesBackwards.self),
        SaboteurEntry(.groups, StopsAtConflicts.self),
        SaboteurEntry(.groups, StopsAtErrors.self),
        SaboteurEntry(.groups, ForgetsTheLast.self),
        SaboteurEntry(.groups, WritesEmptyGroups.self),
    ]
}

/// The results are in another order than the change sets.
final class SwapsResults: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        super.save(group).reversed()
    }
}

/// Every receipt has the state of the whole group.
final class TellsOneState: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        let results = super.save(group)
        guard case .success(.saved(let last))? = results.last else { return results }
        return results.map { result in
            guard case .success(.saved(var receipt)) = result else { return result }
            receipt.generation = last.generation
            return .success(.saved(receipt))
        }
    }
}

/// The last change set is written first.
final class SavesBackwards: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        super.save(group.reversed()).reversed()
    }
}

/// A conflict ends the transaction.
final class StopsAtConflicts: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        var stop: SaveOutcome?
        return group.map { changes in
            if let stop { return .success(stop) }
            let result = Result { () throws(StoreError) in try save(changes) }
            if case .success(.conflicted(let conflicts)) = result { stop = .conflicted(conflicts) }
            return result
        }
    }
}

/// An error ends the transaction.
final class StopsAtErrors: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        var stop: StoreError?
        return group.map { changes in
            if let stop { return .failure(stop) }
            let result = Result { () throws(StoreError) in try save(changes) }
            if case .failure(let error) = result { stop = error }
            return result
        }
    }
}

/// The last change set of several is not written, and has the receipt of the first.
final class ForgetsTheLast: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        if group.count < 2 { return super.save(group) }
        let results = super.save(group.dropLast())
        return results + [results[0]]
    }
}

/// A group without change sets makes a state.
final class WritesEmptyGroups: Saboteur, @unchecked Sendable {
    override func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        if group.isEmpty { _ = try? save(ChangeSet(metadata: ["empty": .integer(1)])) }
        return super.save(group)
    }
}
