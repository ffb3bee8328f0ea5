import Duramen
import DuramenMemory
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A store that comes to the present version of its model by stages.
@Suite struct StageTests {
    static let kinds = StoreKind.allCases

    /// A store of version 1 with people of these names.
    private func people(_ kind: StoreKind, _ names: [String]) throws -> VersionedStore {
        let store = VersionedStore(kind)
        try store.open(People.first.get()) { (context) throws in
            for name in names { _ = context.insert("Person", ["name": name]) }
            try context.save()
        }
        return store
    }

    private func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            .sorted { $0.objectID < $1.objectID }
            .map { person in
                let first = try person.value(forKey: "firstName") as? String
                let last = try person.value(forKey: "lastName") as? String
                return "\(first ?? "-")/\(last ?? "-")"
            }
    }

    @Test(
        "A handler sets what only the next version has, as programs for Core Data do",
        arguments: kinds)
    func aHandlerSetsWhatOnlyTheNextVersionHas(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace", "Plato", "Jean de La Fontaine"])
        defer { store.cleanUp() }
        let manager = try StagedMigrationManager([People.splitting()])
        try store.open(People.second.get(), by: manager) { (context) throws in
            #expect(try names(context) == ["Ada/Lovelace", "Plato/-", "Jean/de La Fontaine"])
        }
        #expect(manager.container == nil)
        #expect(try store.leftovers == [])
        // The store is that of before, as far as anybody outside can tell.
        try store.openUnchanged(People.second.get()) { (context) throws in
            _ = context.insert("Person", ["firstName": "Hypatia"])
            try context.save()
            #expect(try names(context).count == 4)
        }
    }

    @Test(arguments: kinds)
    func theSecondHandlerHasTheClassesOfTheNextVersion(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        var stage = try People.splitting()
        stage.didMigrateHandler = { manager, stage in
            let container = try #require(manager.container)
            #expect(stage.label == "Split names")
            try container.newBackgroundContext().performAndWait { context in
                let person = try #require(
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first)
                #expect(throws: ContextError.self) { try person.value(forKey: "name") }
                try person.setValue("Byron", forKey: "lastName")
                try context.save()
            }
        }
        try store.open(People.second.get(), by: StagedMigrationManager([stage])) {
            (context) throws in #expect(try names(context) == ["Ada/Byron"])
        }
    }

    @Test(arguments: kinds, [0, 1])
    func whatAHandlerThrowsLeavesTheStoreAsItWas(kind: StoreKind, place: Int) throws {
        struct Mistake: Error {}
        let store = try people(kind, ["Ada Lovelace", "Plato"])
        defer { store.cleanUp() }
        let before = try store.checksums(People.first.get())
        var stage = try People.splitting()
        if place == 0 {
            let split = stage.willMigrateHandler
            stage.willMigrateHandler = { manager, stage in
                try split?(manager, stage)
                throw Mistake()
            }
        } else {
            stage.didMigrateHandler = { _, _ in throw Mistake() }
        }
        let error = try store.refusal(People.second.get(), by: StagedMigrationManager([stage]))
        #expect(error.code == .stepFailed)
        #expect(error.message.contains("Split names"))
        #expect(error.message.contains(place == 0 ? "willMigrateHandler" : "didMigrateHandler"))
        #expect(try store.checksums(People.first.get()) == before)
        #expect(try store.leftovers == [])
    }

    @Test(arguments: kinds)
    func whatIsMandatoryAndWasNotSetIsNamed(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace", "Plato"])
        defer { store.cleanUp() }
        let before = try store.checksums(People.first.get())
        let stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try People.first.get()),
            to: ManagedObjectModelReference(model: try People.second.get()))
        let error = try store.refusal(People.second.get(), by: StagedMigrationManager([stage]))
        #expect(error.code == .missingValue)
        #expect(error.message.contains("2 objects of 'Person' have no value of 'firstName'"))
        #expect(error.objectID?.key == 1)
        #expect(try store.checksums(People.first.get()) == before)
    }

    @Test(arguments: kinds)
    func aMigrationThatIsCancelledInAHandlerLeavesTheStoreAsItWas(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        let before = try store.checksums(People.first.get())
        let manager = try StagedMigrationManager([People.splitting()])
        let last = Locked<[MigrationProgress]>([])
        let description = store.description.migrating(with: manager).onMigration { progress in
            last.withLock { $0.append(progress) }
            if progress.phase == .steps { progress.cancel() }
        }
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: People.second.get(), stores: [description])
        }
        #expect(error?.code == .cancelled)
        #expect(last.withLock { $0.last?.label } == "Split names")
        #expect(try store.checksums(People.first.get()) == before)
        #expect(try store.leftovers == [])
    }

    @Test(arguments: kinds)
    func progressNeverFallsAndEndsAtOne(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        let stages: [any MigrationStage] = [
            try People.splitting(),
            LightweightMigrationStage([
                ManagedObjectModelReference(model: try People.third.get())
            ]),
        ]
        let seen = Locked<[MigrationProgress]>([])
        let description = try store.description.migrating(with: StagedMigrationManager(stages))
            .onMigration { progress in seen.withLock { $0.append(progress) } }
        try PersistentContainer.open(model: People.third.get(), stores: [description]).close()
        let progress = seen.withLock { $0 }
        #expect(progress.map(\.fraction) == progress.map(\.fraction).sorted())
        #expect(progress.last?.fraction == 1)
        #expect(Set(progress.map(\.hops)) == [2])
        #expect(progress.map(\.hop).max() == 2)
    }

    @Test("B12: Several constraints meet values that objects share", arguments: kinds)
    func b12SeveralConstraintsMeetValuesThatObjectsShare(kind: StoreKind) throws {
        let old = try People.model([People.text("email"), People.text("phone")])
        let new = try People.model(
            [People.text("email"), People.text("phone")], unique: [["email"], ["phone"]])
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(old) { (context) throws in
            let values: [(String?, String?)] = [
                ("a", "1"), ("b", "1"), ("b", "2"), (nil, "2"), (nil, nil), (nil, nil), ("c", nil),
            ]
            for (email, phone) in values {
                let person = context.insert("Person")
                try person.setValue(email, forKey: "email")
                try person.setValue(phone, forKey: "phone")
            }
            try context.save()
        }
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: old),
            to: ManagedObjectModelReference(model: new))
        stage.steps = [.deduplicate("Person", byEachOf: [["email"], ["phone"]])]
        try store.open(new, by: StagedMigrationManager([stage])) { (context) throws in
            let left = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            #expect(left.map(\.objectID.key).sorted() == [1, 5, 6, 7])
        }
    }

    @Test(arguments: kinds)
    func historyTellsWhatStepsDid(kind: StoreKind) throws {
        let old = try People.model([People.text("name")])
        let new = try People.model([People.text("name"), People.text("upper")])
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        let description = store.description.keepingHistory()
        let container = try PersistentContainer.open(model: old, stores: [description])
        let context = container.makeContext()
        _ = context.insert("Person", ["name": "a"])
        _ = context.insert("Person", ["name": "b"])
        try context.save()
        try container.close()
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: old),
            to: ManagedObjectModelReference(model: new))
        stage.steps = [
            .transform("Person", reading: ["name"], writing: ["upper"]) { old, new in
                let name: String? = old["name"]
                new["upper"] = name?.uppercased()
            }, .delete("Person", where: .keyPath("name", .equal, StoredValue.text("b"))),
        ]
        let migrated = try description.migrating(with: StagedMigrationManager([stage]))
            .open(model: new)
        defer { try? migrated.close() }
        let transactions = try migrated.historyTracking().history(HistoryRequest(after: 0))
        let changes = transactions.dropFirst().flatMap { $0.changes ?? [] }
        #expect(transactions.dropFirst().allSatisfy { $0.author == "duramen.migration" })
        #expect(changes.map(\.changeType) == [.update, .update, .delete])
        #expect(changes.first?.updatedProperties == ["upper"])
    }
}
