import Duramen
import DuramenMemory
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A store that outlives its containers and meets one version of its model after another.
struct VersionedStore {
    let description: PersistentStoreDescription

    /// Names a place where no store is.
    init(_ kind: StoreKind) {
        description =
            kind == .memory
            ? .memory(UUID().uuidString) : kind.description.durability(.unsafeNoSync)
    }

    /// Names the place of a store that another process made, or will make.
    init(_ kind: StoreKind, at location: String) {
        var description = kind.description.durability(.unsafeNoSync)
        description.location = location
        self.description = description
    }

    var metadata: StoreMetadata {
        get throws { try description.type.metadata(of: description) }
    }

    /// The model that the store keeps.
    var keptModel: ManagedObjectModel {
        get throws { try description.type.storedModel(of: description).model }
    }

    /// Opens the store with a version of its model, works with it, and closes it.
    @discardableResult
    func open<R>(
        _ model: ManagedObjectModel, migrating edit: (inout MigrationPolicy) -> Void = { _ in },
        _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var policy = MigrationPolicy()
        edit(&policy)
        let container = try PersistentContainer.open(
            model: model, stores: [description.migrating(policy)])
        defer { try? container.close() }
        return try body(container.makeContext())
    }

    /// Opens the store as it is.
    @discardableResult
    func openUnchanged<R>(
        _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        let container = try PersistentContainer.open(
            model: model, stores: [description.withoutMigration()])
        defer { try? container.close() }
        return try body(container.makeContext())
    }

    /// The error of an opening that must fail.
    func refusal(
        _ model: ManagedObjectModel, migrating edit: (inout MigrationPolicy) -> Void = { _ in }
    ) throws -> StoreError {
        var policy = MigrationPolicy()
        edit(&policy)
        let description = description.migrating(policy)
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: model, stores: [description]).close()
        }
        return try #require(error)
    }

    /// Opens the store with a version of its model to which stages lead.
    @discardableResult
    func open<R>(
        _ model: ManagedObjectModel, by manager: StagedMigrationManager,
        _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        let container = try PersistentContainer.open(
            model: model, stores: [description.migrating(with: manager)])
        defer { try? container.close() }
        return try body(container.makeContext())
    }

    /// The error of an opening by stages that must fail.
    func refusal(
        _ model: ManagedObjectModel, by manager: StagedMigrationManager
    ) throws -> StoreError {
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(
                model: model, stores: [description.migrating(with: manager)]
            ).close()
        }
        return try #require(error)
    }

    /// What is beside the store that a migration should have taken away.
    var leftovers: [String] {
        get throws {
            if description.type.name == "memory" {
                let working = description.location + PersistentStoreDescription.workingMark
                return description.type.locations(beside: description.location)
                    .filter { $0 == working }
            }
            let url = URL(filePath: description.location)
            return try FileManager.default.contentsOfDirectory(
                atPath: url.deletingLastPathComponent().path
            ).filter {
                let name = url.lastPathComponent + PersistentStoreDescription.workingMark
                return $0.hasPrefix(name) || $0.hasPrefix(".\(name)_SUPPORT")
            }
        }
    }

    /// The plan for another version of the model.
    func plan(_ model: ManagedObjectModel) throws -> MigrationPlan {
        try MigrationPlanner(model: model).plan(for: description)
    }

    /// Everything that the store holds, as sums.
    func checksums(_ model: ManagedObjectModel) throws -> StoreChecksums {
        let store = try description.withoutMigration().open(model: model)
        defer { try? store.close() }
        return try StoreChecksums(reading: store.snapshot(), of: store)
    }

    /// Takes the store and its copies away.
    func cleanUp() {
        for backup in description.migrationBackups { try? backup.destroyStore() }
        try? description.destroyStore()
    }
}

extension ManagedObjectContext {
    /// The values of an attribute by the keys of their objects.
    func values(_ name: String, of entity: String) throws -> [Int64: StoredValue] {
        var values: [Int64: StoredValue] = [:]
        for object in try fetch(.all(entity)) {
            values[object.objectID.key] = try object.storedValue(forKey: name)
        }
        return values
    }

    /// Where a relationship leads by the keys of its owners, each end as `Entity/key`: in their
    /// order, or by key where they have none. Owners without any are left out.
    func ends(_ name: String, of entity: String) throws -> [Int64: [String]] {
        var ends: [Int64: [String]] = [:]
        for object in try fetch(.all(entity)) {
            let value = try object.value(forKey: name)
            var members = value as? [ManagedObject] ?? []
            if let destination = value as? ManagedObject { members = [destination] }
            if case .relationship(let relationship)? = object.entity.property(named: name),
                !relationship.isOrdered
            {
                members.sort { $0.objectID < $1.objectID }
            }
            if members.isEmpty { continue }
            ends[object.objectID.key] = members.map { "\($0.entity.name)/\($0.objectID.key)" }
        }
        return ends
    }

    /// The object with a key.
    func object(_ entity: String, _ key: Int64) throws -> ManagedObject {
        try #require(try fetch(.all(entity)).first { $0.objectID.key == key })
    }
}

extension AttributeDescription {
    /// An optional text, as most tests of versions need no more.
    static func text(_ name: String, was identifier: String? = nil) -> AttributeDescription {
        AttributeDescription(name, .string, isOptional: true, renamingIdentifier: identifier)
    }
}
