import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let metadataSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.metadata, WritesMetadataFirst.self),
        SaboteurEntry(.metadata, LosesMetadata.self),
        SaboteurEntry(.metadata, ReplacesAllMetadata.self),
        SaboteurEntry(.metadata, KeepsNullEntries.self),
        SaboteurEntry(.metadata, SkipsSavesOfMetadataAlone.self),
        SaboteurEntry(.metadata, KeepsTextsAndNumbersOnly.self),
        SaboteurEntry(.metadata, HasAnotherIdentity.self),
        SaboteurEntry(.metadata, ForgetsMetadataWhenClosed.self),
    ]
}

final class WritesMetadataFirst: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        _ = try base.save(ChangeSet(metadata: changes.metadata))
        return try base.save(changes)
    }
}

final class LosesMetadata: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.metadata = [:]
        return try base.save(changes)
    }
}

final class ReplacesAllMetadata: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        if !changes.metadata.isEmpty {
            for name in try base.metadata().userInfo.keys where changes.metadata[name] == nil {
                changes.metadata[name] = .null
            }
        }
        return try base.save(changes)
    }
}

final class KeepsNullEntries: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.metadata = changes.metadata.filter { !$0.value.isNull }
        return try base.save(changes)
    }
}

final class SkipsSavesOfMetadataAlone: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        if changes.inserts.isEmpty && changes.updates.isEmpty { changes.metadata = [:] }
        return try base.save(changes)
    }
}

final class KeepsTextsAndNumbersOnly: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.metadata = changes.metadata.mapValues { value in
            switch value {
            case .null, .text, .integer, .boolean, .double: value
            default: .text(StoredText("\(value)"))
            }
        }
        return try base.save(changes)
    }
}

final class HasAnotherIdentity: Saboteur, @unchecked Sendable {
    override func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try base.metadata()
        metadata.storeUUID = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
        return metadata
    }
}

final class ForgetsMetadataWhenClosed: Saboteur, @unchecked Sendable {
    override func close() throws(StoreError) {
        if let entries = try? base.metadata().userInfo, !entries.isEmpty {
            _ = try? base.save(ChangeSet(metadata: entries.mapValues { _ in .null }))
        }
        try base.close()
    }
}
