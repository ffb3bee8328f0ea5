import Duramen
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Reports about programs that end while a store is migrated. The processes are exit tests. Names
/// begin with the number of the report.
@Suite struct ReportedMigrationDeathTests {
    static let kinds: [StoreKind] = [.sqlite, .lmdb]

    /// Runs a migration in another process, which is killed when it comes to a phase.
    private func killMigration(_ stock: Stock, _ kind: StoreKind, at phase: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                name = kind.rawValue as String,
                location = stock.store.description.location as String,
                phase = phase as String
            ] in
            var policy = MigrationPolicy()
            policy.backup = .always
            let dying = try Stock(name, at: location).store.description.migrating(policy)
                .onMigration { if $0.phase.rawValue == phase { kill(getpid(), SIGKILL) } }
            try PersistentContainer.open(model: Stock.new, stores: [dying]).close()
        }
    }

    // MARK: - B6

    @Test(
        "B6: A launch that dies anywhere in the migration has done all or nothing",
        arguments: kinds, MigrationProgress.Phase.allCases.filter { $0 != .steps })
    func b6TheFirstLaunchLeavesNoHalfState(
        kind: StoreKind, phase: MigrationProgress.Phase
    ) async throws {
        let stock = Stock(kind)
        defer { stock.store.cleanUp() }
        try stock.fill()
        let before = try stock.store.checksums(Stock.old)
        let metadata = try stock.store.metadata
        await killMigration(stock, kind, at: phase.rawValue)
        // The model that the store keeps is of the state that it has.
        let model = try phase == .end ? Stock.new : Stock.old
        #expect(try stock.store.keptModel.archived() == model.archived())
        if phase == .end {
            try stock.checkMigrated()
        } else {
            #expect(try stock.store.metadata == metadata)
            #expect(try stock.store.checksums(Stock.old) == before)
        }
        // A copy that has its name is whole.
        for backup in stock.store.description.migrationBackups {
            let store = try backup.withoutMigration().readOnly().open(model: Stock.old)
            #expect(try StoreChecksums(reading: store.snapshot(), of: store) == before)
            try store.close()
        }
        // The second launch does it all.
        try stock.store.open(Stock.new) { _ in }
        try stock.checkMigrated()
        let parts = try stock.parts
        let leftovers = parts.filter { part in
            ["unfinished", "new", "migrating"].contains { part.contains($0) }
        }
        #expect(leftovers == [])
    }

    // MARK: - B10

    @Test(
        "B10: A program that is killed at every launch leaves the old store usable",
        arguments: kinds)
    func b10KilledMigrationsLeaveTheOldStoreUsable(kind: StoreKind) async throws {
        let stock = Stock(kind)
        defer { stock.store.cleanUp() }
        try stock.fill()
        var added: [String] = []
        for phase in ["checks", "rows", "indexes"] {
            await killMigration(stock, kind, at: phase)
            // Nobody holds the lock, and what is saved is not lost.
            try stock.store.openUnchanged(Stock.old) { (context) throws in
                added.append("after \(phase)")
                _ = context.insert("Item", ["name": "after \(phase)"])
                try context.save()
                #expect(try context.fetch(.all("Item")).count == Stock.count + added.count)
            }
        }
        try stock.store.open(Stock.new) { _ in }
        try stock.checkMigrated(adding: added)
    }

    // MARK: - B16

    /// A store whose process was killed with the store open, so that all its parts are there.
    private func abandoned(_ kind: StoreKind) async throws -> Stock {
        let stock = Stock(kind)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [name = kind.rawValue as String, location = stock.store.description.location as String]
            in
            let stock = try Stock(name, at: location)
            try stock.fill()
            let store = try stock.store.description.open(model: Stock.old)
            try store.insert("Item", ["name": .text("last")])
            kill(getpid(), SIGKILL)
        }
        return stock
    }

    @Test(
        "B16: A store that a killed program left is taken away with all its parts", arguments: kinds
    )
    func b16AllPartsAreTakenAway(kind: StoreKind) async throws {
        let stock = try await abandoned(kind)
        if kind == .sqlite { #expect(try stock.parts.contains("-wal")) }
        try stock.store.description.destroyStore()
        // Whoever waits for the lock of a file must find it.
        #expect(try stock.parts.isSubset(of: [".lock"]))
        // What is made there afterwards has nothing of the old store.
        let items = try stock.store.open(Stock.new) { try $0.fetch(.all("Item")).count }
        #expect(items == 0)
        #expect(try stock.store.metadata.migrations == [])
        stock.store.cleanUp()
    }

    @Test(
        "B16: A store that a killed program left is replaced with all its parts", arguments: kinds)
    func b16AllPartsAreReplaced(kind: StoreKind) async throws {
        let stock = try await abandoned(kind)
        defer { stock.store.cleanUp() }
        let other = VersionedStore(kind)
        defer { other.cleanUp() }
        try other.open(Stock.old) { (context) throws in
            _ = context.insert("Item", ["name": "only"])
            try context.save()
        }
        let uuid = try other.metadata.storeUUID
        try stock.store.description.replaceStore(with: other.description)
        #expect(try stock.store.metadata.storeUUID == uuid)
        for _ in 0..<2 {
            let names = try stock.store.openUnchanged(Stock.old) {
                try $0.values("name", of: "Item")
            }
            #expect(names == [1: .text("only")])
        }
        // The file of the old store's photo goes once nobody can read the old state.
        let open = try stock.store.description.open(model: Stock.old)
        try (open as? any MaintainingStore)?.maintain()
        try open.close()
        let url = URL(filePath: stock.store.description.location)
        let folder = url.deletingLastPathComponent()
        let name = url.lastPathComponent
        var large: [String] = []
        let files = FileManager.default.enumerator(atPath: folder.path)
        while let path = files?.nextObject() as? String {
            guard path.contains(name) else { continue }
            let bytes = fileBytes(folder.appendingPathComponent(path).path)
            if (200_000...200_100).contains(bytes) { large.append(path) }
        }
        #expect(large == [])
    }
}
