import Duramen
import DuramenMemory
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What is kept of a store before it is migrated, and how it comes back.
@Suite struct BackupTests {
    static let kinds = StoreKind.allCases

    /// A store of some objects of the first version, with a large value.
    private struct Shop {
        let description: PersistentStoreDescription
        let old: ManagedObjectModel
        let new: ManagedObjectModel

        init(_ kind: StoreKind) throws {
            description =
                kind == .memory
                ? .memory(UUID().uuidString) : kind.description.durability(.unsafeNoSync)
            let name = AttributeDescription("name", .string, isOptional: true)
            let note = AttributeDescription("note", .string, isOptional: true)
            let photo = AttributeDescription(
                "photo", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true)
            old = try ManagedObjectModel([
                EntityDescription(name: "Item", attributes: [name, note, photo])
            ])
            new = try ManagedObjectModel([
                EntityDescription(
                    name: "Item",
                    attributes: [
                        name, AttributeDescription("count", .integer64, default: .integer(1)),
                    ])
            ])
            try withContext(old) { context in
                for number in 0..<300 {
                    let item = ManagedObject(entity: old.entities[0], context: context)
                    try item.setValue("\(number)", forKey: "name")
                    try item.setValue("note \(number)", forKey: "note")
                    if number == 0 {
                        try item.setValue(Data(repeating: 7, count: 200_000), forKey: "photo")
                    }
                }
                try context.save()
            }
        }

        func withContext(
            _ model: ManagedObjectModel, _ description: PersistentStoreDescription? = nil,
            _ body: (ManagedObjectContext) throws -> Void
        ) throws {
            let container = try PersistentContainer.open(
                model: model, stores: [description ?? self.description])
            defer { try? container.close() }
            try body(container.makeContext())
        }

        /// The notes and photos of a store of the first version.
        func check(_ description: PersistentStoreDescription) throws {
            try withContext(old, description.withoutMigration()) { context in
                let items = try context.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
                #expect(items.count == 300)
                let first = try #require(
                    try items.first { try $0.value(forKey: "name") as? String == "0" })
                #expect(try first.value(forKey: "note") as? String == "note 0")
                #expect(
                    try first.value(forKey: "photo") as? Data == Data(repeating: 7, count: 200_000))
            }
        }

        func migrating(_ edit: (inout MigrationPolicy) -> Void) -> PersistentStoreDescription {
            var policy = MigrationPolicy()
            edit(&policy)
            return description.migrating(policy)
        }

        func cleanUp() {
            for backup in description.migrationBackups { try? backup.destroyStore() }
            try? description.destroyStore()
        }
    }

    @Test("B21: A copy is kept, named to earlier versions, and put back", arguments: kinds)
    func b21ACopyIsKeptAndPutBack(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.cleanUp() }
        let plan = try MigrationPlanner(
            model: shop.new, policy: shop.migrating { $0.backup = .always }.migrationPolicy
        ).plan(for: shop.description)
        let backup = try #require(try plan.execute())
        try shop.withContext(shop.new) { context in
            let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Item"))
            #expect(count == 300)
        }
        try shop.check(backup)
        #expect(shop.description.migrationBackups.map(\.location) == [backup.location])
        let error = #expect(throws: StoreError.self) {
            try shop.description.open(model: shop.old)
        }
        #expect(error?.code == .storeIsNewer)
        #expect(error?.message.contains(backup.location) == true)

        try shop.description.replaceStore(with: backup)
        try shop.check(shop.description)
        // Again, beside the copy that is there already.
        _ = try shop.migrating { $0.backup = .always }.open(model: shop.new).close()
        #expect(shop.description.migrationBackups.count == 2)
        for copy in shop.description.migrationBackups { try shop.check(copy) }
    }

    @Test(arguments: kinds)
    func aCopyIsKeptWhenSomethingMayBeLostThatWasOnlyRenamed(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.cleanUp() }
        let renamed = try ManagedObjectModel([
            EntityDescription(
                name: "Item",
                attributes: [AttributeDescription("title", .string, isOptional: true)]
                    + shop.old.descriptions[0].attributes.filter { $0.name != "name" })
        ])
        let planner = MigrationPlanner(
            model: renamed, policy: shop.migrating { $0.loss = .all }.migrationPolicy)
        try shop.check(#require(try planner.plan(for: shop.description).execute()))
    }

    @Test(arguments: kinds)
    func noCopyIsKeptOfWhatTheNewModelPlainlyLeavesOut(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.cleanUp() }
        #expect(
            try MigrationPlanner(model: shop.new).plan(for: shop.description).execute() == nil)
        #expect(shop.description.migrationBackups.isEmpty)
    }

    @Test(arguments: kinds)
    func aMigrationThatFailsLeavesNoCopy(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.cleanUp() }
        var unique = shop.old.descriptions
        unique[0].uniquenessConstraints = [["note"]]
        let model = try ManagedObjectModel(unique)
        try shop.withContext(shop.old) { context in
            let item = ManagedObject(entity: shop.old.entities[0], context: context)
            try item.setValue("note 1", forKey: "note")
            try context.save()
        }
        let error = #expect(throws: StoreError.self) {
            try shop.migrating { $0.backup = .always }.open(model: model)
        }
        #expect(error?.code == .uniquenessViolated)
        #expect(shop.description.migrationBackups.isEmpty)
    }

    // MARK: - Replacing

    @Test(arguments: kinds)
    func aStoreIsReplacedWhollyOrNotAtAll(kind: StoreKind) throws {
        let (one, other) = (try Shop(kind), try Shop(kind))
        defer {
            one.cleanUp()
            other.cleanUp()
        }
        try other.withContext(other.old) { context in
            for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
                context.delete(item)
            }
            try context.save()
        }
        let identity = try one.description.type.metadata(of: one.description).storeUUID
        if kind != .memory {
            let open = try other.description.open(model: other.old)
            let error = #expect(throws: StoreError.self) {
                try other.description.replaceStore(with: one.description)
            }
            #expect(error?.code == .storeBusy)
            try open.close()
        }
        try other.description.replaceStore(with: one.description)
        try other.check(other.description)
        #expect(
            try other.description.type.metadata(of: other.description).storeUUID == identity)
        try one.check(one.description)

        // Where there is none.
        try other.description.destroyStore()
        try other.description.replaceStore(with: one.description)
        try other.check(other.description)
    }

    @Test(arguments: kinds)
    func whatCannotReplaceAStoreLeavesIt(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.cleanUp() }
        var missing = shop.description
        missing.location += ".none"
        let others: [(PersistentStoreDescription, StoreError.Code)] = [
            (missing, .storeMissing), (shop.description, .invalidRequest),
            (kind == .memory ? StoreKind.sqlite.description : .memory("x"), .invalidRequest),
        ]
        for (other, code) in others {
            let error = #expect(throws: StoreError.self) {
                try shop.description.replaceStore(with: other)
            }
            #expect(error?.code == code)
        }
        for work in [
            { try shop.description.readOnly().replaceStore(with: shop.description) },
            { try shop.description.readOnly().destroyStore() },
        ] {
            let error = #expect(throws: StoreError.self) { try work() }
            #expect(error?.code == .readOnly)
        }
        try shop.check(shop.description)
    }

    @Test("B16: A store is taken away with all its parts", arguments: [StoreKind.sqlite, .lmdb])
    func b16AStoreIsTakenAwayWithAllItsParts(kind: StoreKind) throws {
        let shop = try Shop(kind)
        try shop.description.destroyStore()
        let url = URL(filePath: shop.description.location)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: url.deletingLastPathComponent().path
        ).filter { $0.contains(url.deletingPathExtension().lastPathComponent) }
        // Whoever waits for the lock of a file must find it.
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
        try shop.description.destroyStore()
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aDamagedStoreIsReplaced(kind: StoreKind) throws {
        let (damaged, other) = (try Shop(kind), try Shop(kind))
        defer {
            damaged.cleanUp()
            other.cleanUp()
        }
        let file =
            kind == .lmdb
            ? damaged.description.location + "/data.mdb" : damaged.description.location
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 100))
        try handle.close()
        #expect(throws: StoreError.self) { try damaged.check(damaged.description) }
        try damaged.description.replaceStore(with: other.description)
        try damaged.check(damaged.description)
    }
}
