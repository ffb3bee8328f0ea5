import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A file of Core Data's is wholly old or wholly new, wherever the program dies that migrates or
/// replaces it.
@Suite struct KilledMigrationTests {
    let folder = TemporaryFolder()
    private var path: String { folder.file("apple.sqlite") }
    private static let count = 2_000

    private static func model(_ names: [String]) -> ManagedObjectModel {
        testModel([
            EntityDescription(
                name: "Photo",
                attributes: names.map { AttributeDescription($0, .string, isOptional: true) })
        ])
    }

    private func makeStore() throws {
        let writer = ArchiveWriter()
        let photo = writer.entity("Photo", [writer.attribute("caption", 700)])
        _ = try AppleStore(
            path, entities: [("Photo", 0)], cache: ArchiveWriter.packed(writer.model([photo])),
            [
                """
                CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCAPTION VARCHAR)
                """,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
                INSERT INTO ZPHOTO SELECT i, 1, 1, 'caption ' || i FROM n
                """,
            ])
    }

    /// All captions, in the order of keys.
    private func captions(_ model: ManagedObjectModel) throws -> [StoredValue] {
        let store = try PersistentStoreDescription.sqlite(path).withoutMigration()
            .open(model: model)
        defer { try? store.close() }
        #expect(try StoreVerification(of: store).run() == [])
        let cursor = try store.snapshot().cursor(store.query("Photo"))
        var captions: [StoredValue] = []
        let slot = try #require(
            model.entity(named: "Photo")?.attributes.first { $0.name == "caption" }?.slot)
        while let rows = try cursor.next(maximumRows: 1_000) {
            captions += rows.map { $0.value(slot, .text) }
        }
        return captions
    }

    private static let expected = (1...count).map { StoredValue.text(StoredText("caption \($0)")) }

    @Test(
        "A migration of a file of Core Data's that dies has done all or nothing",
        arguments: MigrationProgress.Phase.allCases.filter { $0 != .steps })
    func migration(phase: MigrationProgress.Phase) async throws {
        try makeStore()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, phase = phase.rawValue as String] in
            try PersistentStoreDescription.sqlite(path)
                .onMigration { if $0.phase.rawValue == phase { kill(getpid(), SIGKILL) } }
                .open(model: Self.model(["caption", "note"])).close()
        }
        let (old, new) = (Self.model(["caption"]), Self.model(["caption", "note"]))
        #expect(try captions(phase == .end ? new : old) == Self.expected)
        // The next launch does it, whatever is left of the last one.
        try PersistentStoreDescription.sqlite(path).open(model: new).close()
        #expect(try captions(new) == Self.expected)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.contains("migrating") && !$0.hasSuffix(".lock") } == [])
    }

    @Test("A store that is replaced while the program dies is the one or the other")
    func replacing() async throws {
        try makeStore()
        let old = Self.model(["caption"])
        try PersistentStoreDescription.sqlite(path).open(model: old).close()
        let other = PersistentStoreDescription.sqlite(folder.file("other.sqlite"))
        let store = try other.open(model: old)
        try store.insert("Photo", all: (0..<5_000).map { _ in ["caption": .letters(200)] })
        try store.close()
        var outcomes: Set<Int> = []
        for delay in 0..<12 {
            // The process dies some thousand statements of the engine later each time.
            await #expect(processExitsWith: .failure) {
                [path = path as String, other = other.location as String, delay = delay as Int] in
                let replacing = PersistentStoreDescription.sqlite(path)
                Thread.detachNewThread {
                    var turns = 0
                    while turns < delay * 400_000 { turns += 1 }
                    kill(getpid(), SIGKILL)
                }
                try replacing.replaceStore(with: .sqlite(other))
                kill(getpid(), SIGKILL)
            }
            let count = try captions(old).count
            outcomes.insert(count)
            if count != Self.count { break }
        }
        #expect(outcomes.isSubset(of: [Self.count, 5_000]))
        try PersistentStoreDescription.sqlite(path).replaceStore(with: other)
        #expect(try captions(old).count == 5_000)
    }
}
