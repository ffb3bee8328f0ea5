import Duramen
import DuramenMemory
import DuramenModel
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

    @Test(
        "A later version may be the one that a stage had in between: all of both, optional",
        arguments: kinds)
    func aLaterVersionMayBeTheOneThatAStageHadInBetween(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        try store.open(People.second.get(), by: StagedMigrationManager([People.splitting()])) { _ in
        }
        let both = try People.model(
            ["name", "email", "firstName", "lastName"].map { People.text($0) })
        try store.open(both) { (context) throws in
            #expect(try names(context) == ["Ada/Lovelace"])
        }
    }

    @Test("A parent may take the place of another one", arguments: kinds)
    func aParentMayTakeThePlaceOfAnotherOne(kind: StoreKind) throws {
        func model(parent: String) throws -> ManagedObjectModel {
            try People.model(
                [People.text("name")],
                others: [
                    EntityDescription(name: parent, isAbstract: true),
                    EntityDescription(
                        name: "Pet", superentity: parent, attributes: [People.text("call")]),
                    EntityDescription(name: "Tool", superentity: parent),
                ])
        }
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(model(parent: "Thing")) { (context) throws in
            _ = context.insert("Pet", ["call": "Laika"])
            _ = context.insert("Tool", [:])
            try context.save()
        }
        let stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try model(parent: "Thing")),
            to: ManagedObjectModelReference(model: try model(parent: "Possession")))
        try store.open(model(parent: "Possession"), by: StagedMigrationManager([stage])) {
            (context) throws in
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Possession"))
            #expect(found.map(\.entity.name).sorted() == ["Pet", "Tool"])
            let pet = try #require(found.first { $0.entity.name == "Pet" })
            #expect(try pet.value(forKey: "call") as? String == "Laika")
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
        #expect(error.message.contains("2 objects have no value of 'Person.firstName'"))
        #expect(error.objectID?.key == 1)
        #expect(try store.checksums(People.first.get()) == before)
    }

    @Test(
        "A copy that somebody else has replaced does not take the store's place", arguments: kinds)
    func aReplacedCopyDoesNotTakeTheStoresPlace(kind: StoreKind) throws {
        let store = try people(kind, ["Ada Lovelace"])
        let other = VersionedStore(kind)
        defer {
            store.cleanUp()
            other.cleanUp()
        }
        try other.open(People.second.get()) { _ in }
        let before = try store.checksums(People.first.get())
        var stage = try People.splitting()
        stage.didMigrateHandler = { [store, other] _, _ in
            var copy = store.description
            copy.location += PersistentStoreDescription.workingMark
            try copy.destroyStore()
            try copy.type.copy(other.description, to: copy)
        }
        let error = try store.refusal(People.second.get(), by: StagedMigrationManager([stage]))
        // SQLite keeps the copy open, so that nobody takes it away.
        #expect(error.code == (kind == .sqlite ? .stepFailed : .verificationFailed))
        #expect(try store.checksums(People.first.get()) == before)
        #expect(try store.leftovers == [])
    }

    @Test(arguments: kinds, [MigrationProgress.Phase.backup, .checks, .rows, .steps])
    func aMigrationThatIsCancelledAnywhereLeavesTheStoreAsItWas(
        kind: StoreKind, phase: MigrationProgress.Phase
    ) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        let before = try store.checksums(People.first.get())
        let manager = try StagedMigrationManager([People.splitting()])
        let last = Locked<[MigrationProgress]>([])
        let description = store.description.migrating(with: manager).onMigration { progress in
            last.withLock { $0.append(progress) }
            if progress.phase == phase { progress.cancel() }
        }
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer.open(model: People.second.get(), stores: [description])
        }
        #expect(error?.code == .cancelled)
        #expect(last.withLock { $0.last?.label } == (phase == .backup ? "copy" : "Split names"))
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

    @Test(
        "What a process has left that was killed is taken away by the next opening",
        arguments: [StoreKind.sqlite, .lmdb], 0...4)
    func whatAKilledProcessHasLeftIsTakenAway(kind: StoreKind, progress: Int) throws {
        let store = try people(kind, ["Ada Lovelace"])
        defer { store.cleanUp() }
        var left = store.description
        left.location += PersistentStoreDescription.workingMark
        switch (progress, kind) {
        case (0, .sqlite): try Data().write(to: URL(filePath: left.location))
        case (0, _):
            try FileManager.default.createDirectory(
                atPath: left.location, withIntermediateDirectories: false)
        case (1, _): try left.type.copy(store.description, to: left)
        case (2, _): try Data().write(to: URL(filePath: left.location + ".lock"))
        case (3, .sqlite):
            // Large values are copied before pages are, which have another name at first.
            let parts = URL(filePath: left.location)
            let values = parts.deletingLastPathComponent().appending(
                path: ".\(parts.lastPathComponent)_SUPPORT/_DURAMEN_DATA")
            try FileManager.default.createDirectory(
                at: values, withIntermediateDirectories: true)
            try Data([1]).write(to: values.appending(path: UUID().uuidString))
            for suffix in ["", "-journal"] {
                try Data([2]).write(to: URL(filePath: left.location + ".copying" + suffix))
            }
        case (3, _):
            let parts = left.location + ".new"
            try FileManager.default.createDirectory(
                atPath: parts, withIntermediateDirectories: false)
            try Data([2]).write(to: URL(filePath: parts + "/data.mdb"))
        default:
            try left.type.copy(store.description, to: left)
            // It was on its way to another version.
            let container = try PersistentContainer.open(
                model: People.second.get(),
                stores: [left.migrating(with: StagedMigrationManager([People.splitting()]))])
            try container.close()
        }
        #expect(try store.leftovers.isEmpty == false)
        try store.openUnchanged(People.first.get()) { (context) throws in
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 1)
        }
        for backup in left.migrationBackups { try backup.destroyStore() }
        #expect(try store.leftovers.filter { !$0.contains("before") } == [])
    }

    @Test("Large values come along, and new ones stay", arguments: [StoreKind.sqlite, .lmdb])
    func largeValuesComeAlong(kind: StoreKind) throws {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try People.model(
                names.map {
                    AttributeDescription(
                        $0, .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
                })
        }
        let (old, new) = (try model(["photo"]), try model(["photo", "thumbnail"]))
        let photo = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let store = VersionedStore(kind)
        defer { store.cleanUp() }
        try store.open(old) { (context) throws in
            _ = context.insert("Person", ["photo": photo])
            try context.save()
        }
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: old),
            to: ManagedObjectModelReference(model: new))
        stage.steps = [
            .transform("Person", reading: ["photo"], writing: ["thumbnail"]) { old, new in
                new["thumbnail"] = (old["photo"] as Data?).map { Data($0.dropFirst(1)) }
            }
        ]
        try store.open(new, by: StagedMigrationManager([stage])) { (context) throws in
            let person = try context.object("Person", 1)
            #expect(try person.value(forKey: "photo") as? Data == photo)
            #expect(try person.value(forKey: "thumbnail") as? Data == Data(photo.dropFirst(1)))
        }
        // Housekeeping takes nothing away that is needed.
        let opened = try store.description.open(model: new)
        try opened.maintainIfCapable()
        try opened.close()
        try store.openUnchanged(new) { (context) throws in
            #expect(try context.object("Person", 1).value(forKey: "photo") as? Data == photo)
        }
    }
}
