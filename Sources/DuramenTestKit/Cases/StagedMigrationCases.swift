import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 15 for migrations with code: a copy of the store is migrated, and replaces the store whole
/// or not at all.
enum StagedMigrationCases {
    static let all: [ConformanceCase] = [
        claim("A stage writes what its steps say, and keeps everything else") { driver, ids in
            let uuid = driver.store.handle.uuid
            _ = try driver.store.save(ChangeSet(metadata: ["owner": .text("Anna")]))
            let next = Self.next
            let step = MigrationStep.transform("Person", reading: ["name"], writing: ["upper"]) {
                old, new in
                guard case .text(let name) = old.storedValue(forKey: "name") else { return }
                new.setStoredValue(.text(StoredText(name.string.uppercased())), forKey: "upper")
            }
            let migrated = try driver.migrated(to: next, [step, .delete("Tag")])
            try checkEqual(
                try migrated.values(migrated.id("Person", ids.anna.key)),
                [
                    "name": .text("Anna"), "upper": .text("ANNA"),
                    "home": .objectID(migrated.id("Villa", ids.villa.key)),
                ], "an object of the step")
            try checkEqual(
                try migrated.values(migrated.id("Child", ids.ben.key))?["upper"], .text("BEN"),
                "one of a sub-entity")
            try checkEqual(try migrated.contents().records.count, 3, "the number of objects")
            let metadata = try migrated.store.metadata()
            try checkEqual(metadata.storeUUID, uuid, "the identity of the store")
            try checkEqual(metadata.userInfo["owner"], .text("Anna"), "the metadata")
            let keys = try migrated.store.allocateKeys(1, for: migrated.entity("Person").id)
            try check(keys.lowerBound > ids.ben.key, "A key was handed out again.")
        },
        claim("A stage that fails leaves the store as it was") { driver, _ in
            let (contents, metadata) = (try driver.contents(), try driver.store.metadata())
            let next = Self.next
            let step = MigrationStep.transform("Person", reading: [], writing: ["upper"]) {
                _, new in
                new.setStoredValue(.integer(1), forKey: "upper")
            }
            try checkThrows(.stepFailed, "a step that writes what does not fit") {
                try driver.migrated(to: next, [.delete("Tag"), step])
            }
            let reopened = try driver.reopened()
            try checkSame(try reopened.contents(), contents, "the store")
            try checkEqual(try reopened.store.metadata(), metadata, "the metadata")
        },
    ]

    private static var next: MigrationModel {
        var next = MigrationModel()
        next["Person"].attributes.append(
            AttributeDescription("upper", .string, isOptional: true))
        return next
    }

    private static func claim(
        _ name: String,
        _ body:
            @escaping @Sendable (
                StoreDriver, (anna: ManagedObjectID, ben: ManagedObjectID, villa: ManagedObjectID)
            ) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.migration, name, requires: .schemaMigration) { driver in
            let driver = try StoreDriver(driver.fixture, model: MigrationModel.first)
            var draft = driver.draft()
            let villa = try draft.insert("Villa", ["title": .text("Sea")])
            let anna = try draft.insert(
                "Person", ["name": .text("Anna"), "home": .objectID(villa)])
            let ben = try draft.insert("Child", ["name": .text("Ben")])
            let tag = try draft.insert("Tag", ["word": .text("red")])
            draft.relate("Person.tags", anna, tag, order: 1)
            try driver.commit(draft)
            try body(driver, (anna, ben, villa))
        }
    }
}

extension StoreDriver {
    fileprivate func id(_ name: String, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(store: store.handle, entity: entity(name).handle, key: key)
    }

    /// Closes the store, and opens it with another version of its model, migrated by steps.
    fileprivate func migrated(
        to next: MigrationModel, _ steps: [MigrationStep]
    ) throws -> StoreDriver {
        let model = try next.model()
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: store.model),
            to: ManagedObjectModelReference(model: model))
        stage.steps = steps
        let manager = try StagedMigrationManager([stage])
        return StoreDriver(
            try fixture.reopen(store, with: model) { $0.migrating(with: manager) }, fixture)
    }
}
