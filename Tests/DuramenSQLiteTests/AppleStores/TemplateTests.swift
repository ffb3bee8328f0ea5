import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// Empty stores that Core Data made are filled here, and stay Core Data's.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct TemplateTests {
        let folder = TemporaryFolder()

        /// Stores that keep their model, with nothing in it that only the application can write.
        private static let stores = [
            "Bookmarks_V3.sqlite", "Bookmarks_V4.sqlite", "Bookmarks_V5.sqlite",
            "SyncMetadata_V3.sqlite",
        ].compactMap { name in Corpus.stores.first { $0.hasSuffix("/" + name) } }

        @Test func theStoresAreThere() { #expect(Self.stores.count == 4) }

        @Test(
            "A template is filled and keeps its hashes, its model and all its names",
            arguments: stores)
        func fill(_ store: String) throws {
            let original = PersistentStoreDescription.sqlite(try Corpus.copy(store, to: folder))
            let model = try original.type.storedModel(of: original).model
            let middle = PersistentStoreDescription.lmdb(folder.file("middle"))
            let source = try original.readOnly().open(model: model)
            let copy = try middle.open(model: model)
            let expected = try StoreConversion(from: source, to: copy).run()
            try source.close()

            let template = PersistentStoreDescription.sqlite(
                try Corpus.copy(store, to: folder, as: "template.sqlite"))
            try empty(template.location)
            let before = try look(at: template.location)
            #expect(try before.differences(model).filter { $0.contains("version hashes") } == [])
            let filled = try template.open(model: model)
            #expect(try StoreConversion(from: copy, to: filled).run() == expected)
            try filled.close()
            try copy.close()

            let after = try look(at: template.location)
            #expect(after.hashes == before.hashes && !after.hashes.isEmpty)
            #expect(after.cache == before.cache && after.cache.count > 100)
            #expect(after.objects.filter { !$0.contains("DURAMEN") } == before.objects)
            // What it says of itself is Duramen's mark and tables, and nothing else new.
            let new = Set(try after.differences(model)).subtracting(try before.differences(model))
            #expect(new.allSatisfy { $0.contains("Duramen") || $0.contains("DURAMEN") }, "\(new)")
        }

        /// Takes all rows away, as if the store had been made just now.
        private func empty(_ path: String) throws {
            let tables = try RawDatabase.texts(
                path,
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'
                AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')
                """)
            for table in tables { try RawDatabase.run(path, "DELETE FROM \"\(table)\"") }
            try RawDatabase.run(path, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
        }

        private func look(at path: String) throws -> FileLook {
            let list = try RawDatabase.texts(path, "SELECT hex(Z_PLIST) FROM Z_METADATA")
            let entries = PropertyListEntries(hexadecimal: list.first ?? "")?.list
            return FileLook(
                path: path, hashes: entries?["NSStoreModelVersionHashes"] as? [String: Data] ?? [:],
                cache: try RawDatabase.texts(path, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")
                    .joined(),
                objects: try RawDatabase.texts(
                    path, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"))
        }
    }
}

private struct FileLook {
    let path: String
    let hashes: [String: Data]
    let cache: String
    let objects: [String]

    func differences(_ model: ManagedObjectModel) throws -> [String] {
        try SQLiteStoreType().differencesFromCoreData(in: .sqlite(path).readOnly(), model: model)
    }
}
