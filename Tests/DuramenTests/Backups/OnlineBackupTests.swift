import Duramen
import Foundation
import Testing

/// Copies of stores that are in use.
struct OnlineBackupTests {
    private static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([
                EntityDescription(
                    name: "Account",
                    attributes: [
                        AttributeDescription("number", .integer64),
                        AttributeDescription("amount", .integer64),
                        AttributeDescription(
                            "portrait", .binaryData, isOptional: true,
                            allowsExternalBinaryDataStorage: true),
                    ], uniquenessConstraints: [["number"]])
            ])
        } catch {
            fatalError("\(error)")
        }
    }()

    private static let accounts = FetchRequest<ManagedObject>(entityName: "Account")

    /// Stores in files, and a store in memory that has a name.
    private static func description(_ kind: StoreKind) -> PersistentStoreDescription {
        var description = kind.description
        if kind == .memory { description.location = UUID().uuidString }
        return description.largestInlineValue(bytes: 1_000)
    }

    private static func open(_ store: PersistentStoreDescription) throws -> PersistentContainer {
        try PersistentContainer.open(model: model, stores: [store])
    }

    private static func fill(_ container: PersistentContainer) throws {
        try container.saveElsewhere { context in
            for number in 0..<20 {
                let account = context.insert("Account", ["number": number, "amount": 100])
                try account.setValue(
                    Data(repeating: UInt8(number), count: 5_000), forKey: "portrait")
            }
        }
    }

    /// The amounts by number, once all portraits are read.
    private static func amounts(_ store: PersistentStoreDescription) throws -> [Int64: Int64] {
        let container = try open(store)
        defer { try? container.close() }
        let context = container.makeContext()
        var amounts: [Int64: Int64] = [:]
        for account in try context.fetch(accounts) {
            let number = try account.value(forKey: "number") as? Int64 ?? -1
            amounts[number] = try account.value(forKey: "amount") as? Int64
            let portrait = try account.value(forKey: "portrait") as? Data
            #expect(portrait == Data(repeating: UInt8(number), count: 5_000))
        }
        return amounts
    }

    @Test(arguments: StoreKind.allCases)
    func backupsShowOneMomentEachWhileOthersWrite(kind: StoreKind) async throws {
        let store = Self.description(kind)
        let container = try Self.open(store)
        try Self.fill(container)
        let writing = Task.detached {
            var transfers = 0
            while !Task.isCancelled {
                try container.saveElsewhere { context in
                    let all = try context.fetch(Self.accounts)
                    for (account, change) in [
                        (all[transfers % 20], -1), (all[(transfers + 7) % 20], 1),
                    ] {
                        let amount = try account.value(forKey: "amount") as? Int64 ?? 0
                        try account.setValue(amount + Int64(change), forKey: "amount")
                    }
                }
                transfers += 1
                // A machine with few cores has one thread for all of these tests.
                await Task.yield()
            }
            return transfers
        }
        var backups: [PersistentStoreDescription] = []
        for _ in 0..<8 {
            let location = Self.description(kind).location
            backups.append(try await container.backup(to: location, verifying: true))
        }
        writing.cancel()
        let transfers = try await writing.value
        // A backup of a store that is open is read without objects.
        for backup in backups { #expect(try backup.verifyStore().isEmpty) }
        try container.close()
        for backup in backups {
            let amounts = try Self.amounts(backup)
            #expect(amounts.count == 20 && amounts.values.reduce(0, +) == 2_000)
            try backup.destroyStore()
        }
        #expect(try Self.amounts(store).values.reduce(0, +) == 2_000)
        #expect(transfers >= 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aPlaceThatIsTakenIsLeftAlone(kind: StoreKind) async throws {
        let store = Self.description(kind)
        let container = try Self.open(store)
        try Self.fill(container)
        let backup = try await container.backup(to: Self.description(kind).location)
        try container.saveElsewhere { context in
            _ = context.insert("Account", ["number": 20, "amount": 0])
        }
        let error = await #expect(throws: StoreError.self) {
            _ = try await container.backup(to: backup.location)
        }
        #expect(error?.code == .invalidRequest)
        let itself = await #expect(throws: StoreError.self) {
            _ = try await container.backup(to: store.location)
        }
        #expect(itself?.code == .invalidRequest)
        try container.close()
        #expect(try Self.amounts(backup).count == 20)
    }

    @Test func whatLiesBesideThePlaceIsNotTakenForTheBackups() async throws {
        let container = try Self.open(Self.description(.sqlite))
        try Self.fill(container)
        let location = Self.description(.sqlite).location
        // A journal of one page that says what the first page was.
        var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        journal.append(Data(count: 2_000))
        for suffix in ["-wal", "-shm", "-journal"] {
            try journal.write(to: URL(filePath: location + suffix))
        }
        let backup = try await container.backup(to: location, verifying: true)
        try container.close()
        #expect(try Self.amounts(backup).count == 20)
    }

    @Test func aContainerWithoutStoresHasNothingToBackUp() async throws {
        let container = try Self.open(Self.description(.sqlite))
        for store in container.persistentStoreCoordinator.stores {
            try container.removeStore(store)
        }
        let location = Self.description(.sqlite).location
        let error = await #expect(throws: ContextError.self) {
            _ = try await container.backup(to: location)
        }
        #expect(error?.code == .unknownStore)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aBackupTakesTheStoresPlaceOnceNobodyHasItOpen(kind: StoreKind) async throws {
        let store = Self.description(kind)
        let container = try Self.open(store)
        try Self.fill(container)
        let backup = try await container.backup(to: Self.description(kind).location)
        try container.saveElsewhere { context in
            for account in try context.fetch(Self.accounts) { context.delete(account) }
        }
        let busy = #expect(throws: StoreError.self) { try store.replaceStore(with: backup) }
        #expect(busy?.code == .storeBusy)
        try container.close()
        #expect(try Self.amounts(store).isEmpty)
        try store.replaceStore(with: backup)
        #expect(try Self.amounts(store).count == 20)
        try store.destroyStore()
        try store.replaceStore(with: backup)
        #expect(try Self.amounts(store).count == 20)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func whatAKilledProcessLeftIsInNobodysWay(kind: StoreKind) async throws {
        let container = try Self.open(Self.description(kind))
        try Self.fill(container)
        let location = Self.description(kind).location
        let left = location + (kind == .sqlite ? ".copying" : ".new")
        let half = kind == .sqlite ? left : left + "/data.mdb"
        if kind == .lmdb {
            try FileManager.default.createDirectory(
                atPath: left, withIntermediateDirectories: false)
        }
        try Data("half of a file".utf8).write(to: URL(filePath: half))
        let backup = try await container.backup(to: location, verifying: true)
        #expect(!FileManager.default.fileExists(atPath: left))
        try container.close()
        #expect(try Self.amounts(backup).count == 20)
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aBackupThatContradictsItselfIsNotKept(kind: StoreKind) async throws {
        let store = Self.description(kind)
        try Self.fill(try Self.open(store))
        // Who may only read makes backups too.
        let container = try Self.open(store.readOnly())
        let files = FileManager.default
        let folder = (store.location as NSString).deletingLastPathComponent
        let name = (store.location as NSString).lastPathComponent
        // One of the files of large values goes away.
        let paths = files.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let value = try #require(
            paths.first {
                $0.contains(name) && UUID(uuidString: ($0 as NSString).lastPathComponent) != nil
            })
        try files.removeItem(atPath: folder + "/" + value)
        let location = Self.description(kind).location
        let error = await #expect(throws: StoreError.self) {
            _ = try await container.backup(to: location, verifying: true)
        }
        #expect(error?.code == .damagedFile)
        #expect(!files.fileExists(atPath: location))
        try container.close()
    }
}
