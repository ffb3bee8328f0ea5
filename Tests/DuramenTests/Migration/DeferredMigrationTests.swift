import Duramen
import DuramenLMDB
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// What a migration leaves for later, and what it says that it takes.
@Suite struct DeferredMigrationTests {
    static let kinds = StoreKind.allCases

    private func book(_ attributes: [AttributeDescription]) throws -> ManagedObjectModel {
        try ManagedObjectModel([EntityDescription(name: "Book", attributes: attributes)])
    }

    private let title = AttributeDescription("title", .string, isOptional: true)
    private let pages = AttributeDescription("pages", .integer32, default: .integer(7))

    private func filled(_ kind: StoreKind, _ count: Int) throws -> VersionedStore {
        let store = VersionedStore(kind)
        let open = try store.description.open(model: book([title]))
        try open.insert("Book", all: (0..<count).map { ["title": .text(StoredText("\($0)"))] })
        try open.close()
        return store
    }

    /// The versions of all rows, by key.
    private func versions(_ store: any PersistentStore) throws -> [Int64: RowVersion] {
        let cursor = try store.snapshot().cursor(store.query("Book"))
        var versions: [Int64: RowVersion] = [:]
        while let rows = try cursor.next(maximumRows: 1_000) {
            for row in rows { versions[row.key] = row.version }
        }
        return versions
    }

    @Test("LMDB writes upgraded rows anew when it is told to, once, and nothing is changed by it")
    func rowsAreWrittenAnew() throws {
        let store = try filled(.lmdb, 25_000)
        defer { store.cleanUp() }
        let new = try book([title, pages])
        let open = try #require(
            try store.description.open(model: new) as? any SchemaMigratingStore)
        let sums = try StoreChecksums(reading: open.snapshot(), of: open)
        let versions = try versions(open)
        let old = try open.snapshot()
        #expect(try open.finishMigration(cancellation: nil) == 25_000)
        #expect(try open.finishMigration(cancellation: nil) == 0)
        #expect(try StoreChecksums(reading: open.snapshot(), of: open) == sums)
        #expect(try StoreChecksums(reading: old, of: open) == sums)
        #expect(try self.versions(open) == versions)
        #expect(try StoreVerification(of: open).run() == [])
        try open.close()
        // The next version begins with none, and housekeeping does it as well.
        let third = try book([
            title, pages, AttributeDescription("rank", .double, isOptional: true),
        ])
        let again = try store.description.open(model: third)
        try again.maintainIfCapable()
        let migrating = try #require(again as? any SchemaMigratingStore)
        #expect(try migrating.finishMigration(cancellation: nil) == 0)
        #expect(
            try again.snapshot().count(again.query("Book", compare("pages", .equal, .integer(7))))
                == 25_000)
        try again.close()
    }

    @Test("What was written when somebody cancels stays, and the rest is written later")
    func cancelled() throws {
        let store = try filled(.lmdb, 100)
        defer { store.cleanUp() }
        let open = try #require(
            try store.description.open(model: book([title, pages])) as? any SchemaMigratingStore)
        defer { try? open.close() }
        let flag = CancellationFlag()
        flag.cancel()
        #expect(storeErrorCode { try open.finishMigration(cancellation: flag) } == .cancelled)
        #expect(try open.finishMigration(cancellation: nil) == 100)
    }

    @Test("A coordinator finishes the migrations of all its stores", arguments: kinds)
    func coordinator(kind: StoreKind) throws {
        let store = try filled(kind, 10)
        defer { store.cleanUp() }
        let container = try PersistentContainer.open(
            model: book([title, pages]), stores: [store.description])
        defer { try? container.close() }
        try container.persistentStoreCoordinator.finishDeferredLightweightMigration()
        let open = container.persistentStoreCoordinator.store as? any SchemaMigratingStore
        #expect(try open?.finishMigration(cancellation: nil) == 0)
    }

    // MARK: - Estimates

    @Test("A plan says how many bytes and how much time its changes take", arguments: kinds)
    func estimates(kind: StoreKind) throws {
        let store = try filled(kind, 10_000)
        defer { store.cleanUp() }
        func estimate(
            _ model: ManagedObjectModel, _ backup: MigrationPolicy.Backup = .never
        ) throws -> MigrationEstimate {
            var policy = MigrationPolicy()
            policy.backup = backup
            let planner = MigrationPlanner(model: model, policy: policy)
            return try MigrationSurvey(of: planner.plan(for: store.description)).estimate
        }
        let same = try estimate(book([title]))
        #expect(same == MigrationEstimate())
        let added = try estimate(
            book([title, AttributeDescription("rank", .double, isOptional: true)]))
        #expect(added.bytes == 0 && added.seconds == 0)
        // A default of its own costs nothing; filling gaps does.
        #expect(try estimate(book([title, pages])).seconds == 0)
        let gaps = AttributeDescription("title", .string, default: .text("none"))
        let filled = try estimate(book([gaps]))
        let isRewritten = kind == .sqlite
        #expect((filled.bytes > 100_000) == isRewritten)
        #expect((filled.seconds > 0) == isRewritten)
        let kept = try estimate(book([gaps]), .always)
        #expect(kept.bytes == filled.bytes + filled.storeBytes)
        #expect((filled.storeBytes > 100_000) == (kind != .memory))
    }

    #if os(Linux)
    @Test(
        "A migration that the disk has no room for is refused before anything is written",
        .enabled(if: SmallDisk.isPermitted), arguments: [StoreKind.sqlite, .lmdb])
    func tooSmallDisk(kind: StoreKind) throws {
        let folder = TemporaryFolder()
        guard let disk = SmallDisk(in: folder, kibibytes: 6_144) else { return }
        defer { disk.unmount() }
        let store = VersionedStore(kind, at: disk.path + "/store")
        let open = try store.description.open(model: book([title]))
        let letters = StoredValue.letters(1_000)
        for _ in 0..<30 {
            try open.insert("Book", all: (0..<100).map { _ in ["title": letters] })
        }
        try open.close()
        let size = try FileManager.default.subpathsOfDirectory(atPath: disk.path).count
        var policy = MigrationPolicy()
        policy.backup = .always
        let error = #expect(throws: StoreError.self) {
            try store.description.migrating(policy).open(model: book([title, pages]))
        }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("keeps a copy of ") == true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: disk.path).count == size)
        #expect(store.description.migrationBackups.isEmpty)
        try #require(disk.grow(kibibytes: 65_536))
        try store.description.migrating(policy).open(model: book([title, pages])).close()
    }
    #endif
}
