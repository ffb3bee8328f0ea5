import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let saveIdentifierSaboteurs: [SaboteurEntry] = [
        // First, because the case that catches it is the longest and is run until it has caught
        // one.
        SaboteurEntry(.metadata, RemembersAThousandSaves.self),
        SaboteurEntry(.metadata, FindsNoSave.self),
        SaboteurEntry(.metadata, FindsEverySave.self),
        SaboteurEntry(.metadata, GivesTheNewestGeneration.self),
        SaboteurEntry(.metadata, GivesTheGenerationBefore.self),
        SaboteurEntry(.metadata, RemembersSavesUntilClosed.self),
        SaboteurEntry(.metadata, RemembersAttempts.self),
        SaboteurEntry(.metadata, RemembersFirstAttemptsOnly.self),
    ]
}

final class FindsNoSave: Saboteur, @unchecked Sendable {
    override func generation(ofSave identifier: UUID) -> StoreGeneration? { nil }
}

final class FindsEverySave: Saboteur, @unchecked Sendable {
    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        if let known = try base.generation(ofSave: identifier) { return known }
        return try base.snapshot().generation
    }
}

final class GivesTheNewestGeneration: Saboteur, @unchecked Sendable {
    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        guard try base.generation(ofSave: identifier) != nil else { return nil }
        return try base.snapshot().generation
    }
}

final class GivesTheGenerationBefore: Saboteur, @unchecked Sendable {
    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        guard let found = try base.generation(ofSave: identifier) else { return nil }
        return StoreGeneration(rawValue: found.rawValue - 1)
    }
}

final class RemembersAThousandSaves: Saboteur, @unchecked Sendable {
    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        guard let generation = try base.generation(ofSave: identifier) else { return nil }
        let newest = try base.snapshot().generation
        return newest.rawValue - generation.rawValue < 1_000 ? generation : nil
    }
}

final class RemembersSavesUntilClosed: Saboteur, @unchecked Sendable {
    private let saves = Guarded<[UUID: StoreGeneration]>([:])

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .saved(let receipt) = outcome {
            saves.change { $0[changes.identifier] = receipt.generation }
        }
        return outcome
    }

    override func generation(ofSave identifier: UUID) -> StoreGeneration? {
        saves.value[identifier]
    }
}

/// Writes the identifier down before it knows what becomes of the save.
final class RemembersAttempts: Saboteur, @unchecked Sendable {
    private let attempts = Guarded<Set<UUID>>([])

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        _ = attempts.change { $0.insert(changes.identifier) }
        return try base.save(changes)
    }

    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        if let known = try base.generation(ofSave: identifier) { return known }
        return attempts.value.contains(identifier) ? try base.snapshot().generation : nil
    }
}

/// Takes an identifier that it has seen for one that failed.
final class RemembersFirstAttemptsOnly: Saboteur, @unchecked Sendable {
    private let failed = Guarded<Set<UUID>>([])

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        let outcome = try base.save(changes)
        if case .conflicted = outcome { _ = failed.change { $0.insert(changes.identifier) } }
        return outcome
    }

    override func generation(ofSave identifier: UUID) throws(StoreError) -> StoreGeneration? {
        failed.value.contains(identifier) ? nil : try base.generation(ofSave: identifier)
    }
}
