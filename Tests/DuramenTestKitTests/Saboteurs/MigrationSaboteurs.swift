import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let migrationSaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.migration, WrapsNumbers.self),
        SaboteurEntry(.migration, BringsBackWhatWasLeftOut.self),
        SaboteurEntry(.migration, UsesThePresentDefault.self),
        SaboteurEntry(.migration, KnowsTheNameBeforeOnly.self),
        SaboteurEntry(.migration, FindsNothingAfterwards.self),
        SaboteurEntry(.migration, ChangesKeys.self),
        SaboteurEntry(.migration, NumbersPairsAnew.self),
        SaboteurEntry(.migration, DropsPairs.self),
        SaboteurEntry(.migration, LosesEntitiesOfDestinations.self),
        SaboteurEntry(.migration, LeadsToSomebodyElse.self),
        SaboteurEntry(.migration, ForgetsLinksThatMove.self),
        SaboteurEntry(.migration, WritesThoughItRefuses.self),
        SaboteurEntry(.migration, KeepsOneOfTwo.self),
        SaboteurEntry(.migration, SkipsConstraints.self),
        SaboteurEntry(.migration, MigratesUnasked.self),
        SaboteurEntry(.migration, Saboteur.self).with { $0.forgetsMigrations = true },
        SaboteurEntry(.migration, NotesAMigrationTwice.self),
        SaboteurEntry(.migration, WritesThoughItIsCancelled.self),
        SaboteurEntry(.migration, LetsTheOldWriterWrite.self),
        SaboteurEntry(.migration, TellsOldNames.self),
        SaboteurEntry(.migration, LosesMetadataOfCopies.self),
        SaboteurEntry(.migration, WritesThoughAStepFails.self),
    ]
}

/// Spoils what a migration made.
class MigrationSaboteur: Saboteur, @unchecked Sendable {
    /// What becomes of an object's values.
    func spoil(_ values: PropertyValues, _ change: SchemaChange) -> PropertyValues { values }

    /// Changes some more.
    func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {}

    override func migrate(_ work: MigrationWork) throws(StoreError) {
        let change = work.change
        try super.migrate(work)
        do {
            let fixture = StoreFixture { [location] _ in .memory(location) }
            let driver = try StoreDriver(fixture, model: change.target)
            defer { fixture.cleanUp() }
            for (id, record) in try driver.contents().records {
                let spoilt = spoil(record.values, change)
                if spoilt == record.values { continue }
                let nulls = Set(record.values.keys).subtracting(spoilt.keys)
                    .map { ($0, StoredValue.null) }
                try driver.commit {
                    try $0.update(id, spoilt.merging(nulls) { a, _ in a })
                }
            }
            try spoil(driver, change)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalidRequest, "The saboteur failed: \(error)")
        }
    }
}

final class WrapsNumbers: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ values: PropertyValues, _ change: SchemaChange) -> PropertyValues {
        values.mapValues { value in
            guard case .integer(let number) = value else { return value }
            return .integer(Int64(Int16(truncatingIfNeeded: number)))
        }
    }
}

/// Keeps the slots that a version has no more.
final class BringsBackWhatWasLeftOut: MigrationSaboteur, @unchecked Sendable {
    private static let lost = Guarded<[String: StoredValue]>([:])

    override func migrate(_ work: MigrationWork) throws(StoreError) {
        let change = work.change
        for entity in change.source.entities {
            let kept = change.targetEntity(entity.id).map { change.target[$0].attributes } ?? []
            for attribute in entity.attributes
            where !kept.contains(where: { $0.name == attribute.name }) {
                Self.lost.change { $0[location + attribute.name] = .text("back") }
            }
        }
        try super.migrate(work)
    }

    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        for (id, record) in try driver.contents().records {
            for attribute in driver.model.entity(of: id)?.attributes ?? [] {
                guard record.values[attribute.name] == nil,
                    let value = Self.lost.value[location + attribute.name]
                else { continue }
                try driver.commit { try $0.update(id, [attribute.name: value]) }
            }
        }
    }
}

final class UsesThePresentDefault: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ values: PropertyValues, _ change: SchemaChange) -> PropertyValues {
        var values = values
        for attribute in change.target.entities.flatMap(\.attributes) {
            let value = attribute.defaultValue
            if !value.isNull, values[attribute.name] != nil { values[attribute.name] = value }
        }
        return values
    }
}

final class KnowsTheNameBeforeOnly: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ values: PropertyValues, _ change: SchemaChange) -> PropertyValues {
        let known = Set(change.source.entities.flatMap(\.attributes).map(\.name))
        let identifiers = Dictionary(
            change.target.descriptions.flatMap(\.attributes).map {
                ($0.name, $0.renamingIdentifier)
            }, uniquingKeysWith: { a, _ in a })
        return values.filter { name, _ in
            guard let identifier = identifiers[name] ?? nil else { return true }
            return known.contains(name) || known.contains(identifier)
        }
    }
}

final class FindsNothingAfterwards: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        var hooks = SnapshotHooks()
        let isMigrated = (try? metadata().migrations.isEmpty) == false
        hooks.cursor = { (snapshot, query) throws(StoreError) in
            var query = query
            if isMigrated, query.predicate != nil { query.limit = 0 }
            return try snapshot.cursor(query)
        }
        return hooks
    }
}

final class ChangesKeys: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        guard
            let (id, record) = try driver.contents().records.first(where: {
                $0.key.entityName == "Tag"
            })
        else { return }
        try driver.commit {
            try $0.delete(id)
            try $0.insert("Tag", record.values)
        }
    }
}

final class NumbersPairsAnew: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        for (relationship, pair) in try driver.pairs() where pair.order != nil {
            var draft = driver.draft()
            draft.relate(relationship, pair.source, pair.destination, order: 0)
            try driver.commit(draft)
        }
    }
}

final class DropsPairs: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        for (relationship, pair) in try driver.pairs() {
            var draft = driver.draft()
            draft.unrelate(relationship, pair.source, pair.destination)
            try driver.commit(draft)
        }
    }
}

/// A column says of which entity a destination is; it is not filled.
final class LosesEntitiesOfDestinations: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ values: PropertyValues, _ change: SchemaChange) -> PropertyValues {
        values.filter { name, _ in
            let before = change.source.relationships.first { $0.name == name }
            let after = change.target.relationships.first { $0.name == name }
            guard let before, let after else { return true }
            return change.source[before.destination].name == change.target[after.destination].name
        }
    }
}

final class LeadsToSomebodyElse: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        if driver.model.entity(named: "Villa") != nil { return }
        let places = try driver.contents().records.keys.filter { $0.entityName == "Place" }
        guard let place = places.first else { return }
        for (id, record) in try driver.contents().records
        where id.entityName == "Person" && record.values["home"] == nil {
            try driver.commit { try $0.update(id, ["home": .objectID(place)]) }
        }
    }
}

class WritesThoughItRefuses: Saboteur, @unchecked Sendable {
    var code: StoreError.Code { .valuesDoNotFit }

    override func migrate(_ work: MigrationWork) throws(StoreError) {
        do {
            try super.migrate(work)
        } catch {
            if error.code == code {
                _ = try base.save(ChangeSet(metadata: ["failed": .boolean(true)]))
            }
            throw error
        }
    }
}

final class ForgetsLinksThatMove: MigrationSaboteur, @unchecked Sendable {
    override func spoil(_ driver: StoreDriver, _ change: SchemaChange) throws {
        for case .single(let id) in change.links.map(\.demand) {
            let toOne = change.target[id]
            for (owner, record) in try driver.contents().records
            where record.values[toOne.name] != nil {
                try driver.commit { try $0.update(owner, [toOne.name: .null]) }
            }
        }
    }
}

final class KeepsOneOfTwo: Saboteur, @unchecked Sendable {
    override func migrate(_ work: MigrationWork) throws(StoreError) {
        do {
            try super.migrate(work)
        } catch {
            if error.code != .valuesDoNotFit || work.change.links.isEmpty { throw error }
        }
    }
}

final class WritesThoughItIsCancelled: WritesThoughItRefuses, @unchecked Sendable {
    override var code: StoreError.Code { .cancelled }
}

final class SkipsConstraints: Saboteur, @unchecked Sendable {
    override func migrate(_ work: MigrationWork) throws(StoreError) {
        do {
            try super.migrate(work)
        } catch {
            if error.code != .uniquenessViolated { throw error }
        }
    }
}

final class MigratesUnasked: Saboteur, @unchecked Sendable {
    required init(_ model: ManagedObjectModel, _ location: String) throws(StoreError) {
        // Opens whatever is asked for, by changing the model first.
        let kept = try? MemoryStoreType().storedModel(of: .memory(location)).model
        if let kept, kept.versionChecksum != model.versionChecksum {
            _ = try PersistentStoreDescription.memory(location).open(model: model)
        }
        try super.init(model, location)
    }
}

final class NotesAMigrationTwice: Saboteur, @unchecked Sendable {
    override func metadata() throws(StoreError) -> StoreMetadata {
        var metadata = try super.metadata()
        metadata.migrations += metadata.migrations
        return metadata
    }
}

final class LetsTheOldWriterWrite: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        do {
            return try super.save(changes)
        } catch {
            if error.code != .storeMigrated { throw error }
            return .saved(
                SaveReceipt(
                    generation: StoreGeneration(rawValue: 1),
                    insertedVersions: changes.inserts.map { _ in RowVersion(rawValue: 1) },
                    updatedVersions: []))
        }
    }
}

final class TellsOldNames: HistorySaboteur, @unchecked Sendable {
    override func altered(_ change: PersistentHistoryChange) -> PersistentHistoryChange? {
        var change = change
        change.updatedProperties = change.updatedProperties.map { names in
            Set(names.map { $0 == "comment" ? "note" : $0 })
        }
        return change
    }
}

extension StoreDriver {
    /// The pairs of many-to-manys, by the side that numbers them, with their numbers.
    fileprivate func pairs() throws -> [(String, EdgeChange.Edge)] {
        let contents = try contents()
        var pairs: [(String, EdgeChange.Edge)] = []
        for relationship in model.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            let path = "\(model[relationship.declaringEntity].name).\(relationship.name)"
            for (source, members) in contents.orders[relationship.id] ?? [:] {
                for member in members {
                    pairs.append((path, .init(from: source, to: member.id, order: member.order)))
                }
            }
            if relationship.isOrdered || model[relationship.inverse].isOrdered { continue }
            for (source, members) in contents.destinations[relationship.id] ?? [:] {
                for member in members { pairs.append((path, .init(from: source, to: member))) }
            }
        }
        return pairs
    }
}

final class LosesMetadataOfCopies: Saboteur, @unchecked Sendable {
    override func migrate(through copy: WorkingCopy) throws(StoreError) {
        _ = try base.save(ChangeSet(metadata: ["owner": .null]))
        try super.migrate(through: copy)
    }
}

final class WritesThoughAStepFails: Saboteur, @unchecked Sendable {
    override func migrate(through copy: WorkingCopy) throws(StoreError) {
        do {
            try super.migrate(through: copy)
        } catch {
            _ = try base.save(ChangeSet(metadata: ["failed": .boolean(true)]))
            throw error
        }
    }
}
