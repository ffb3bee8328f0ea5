import CSQLite
import DocumentationSupport
import Duramen
import DuramenSQLite
import DuramenStore
import Foundation
import Testing

/// A file as Core Data leaves it: one of Duramen's without Duramen's tables and marks.
private enum CoreDataFile {
    static func attributes(transformer: String?) -> [AttributeDescription] {
        let colors = AttributeDescription.codable(
            [String]?.self, name: "colors", identifier: "Colors")
        return [
            AttributeDescription("date", .date, isOptional: true),
            transformer.map { colors.transformed(by: $0) } ?? colors,
        ]
    }

    static func model(transformer: String?) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(name: "Mood", attributes: attributes(transformer: transformer))
        ])
    }

    /// Makes a file with one object.
    @MainActor static func make(at path: String) throws {
        let model = try model(transformer: "NSSecureUnarchiveFromData")
        let container = try PersistentContainer.open(model: model, stores: [.sqlite(path)])
        let mood = ManagedObject(entity: model.entities[0], context: container.viewContext)
        try mood.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "date")
        try mood.setValue(["red", "blue"], forKey: "colors")
        try container.viewContext.save()
        try container.close()
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        let hexadecimal = try #require(first("SELECT hex(Z_PLIST) FROM Z_METADATA", handle))
        let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap { place in
            UInt8(hexadecimal.dropFirst(place).prefix(2), radix: 16)
        }
        let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        var entries = try #require(list as? [String: Any])
        entries["DuramenFormat"] = nil
        let data = try PropertyListSerialization.data(
            fromPropertyList: entries, format: .binary, options: 0)
        let blob = data.map { String(format: "%02X", $0) }.joined()
        let tables = try #require(
            first(
                "SELECT group_concat('DROP TABLE ' || name, ';') FROM sqlite_master WHERE name LIKE 'DURAMEN%'",
                handle))
        let script = "\(tables); UPDATE Z_METADATA SET Z_PLIST = X'\(blob)'"
        try #require(sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK)
    }

    private static func first(_ sql: String, _ handle: OpaquePointer?) -> String? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
}

/// What the article says of stores that Core Data wrote.
@MainActor struct CoreDataStoresTests {
    private let folder: ArticleFolder
    private let path: String

    init() throws {
        folder = try ArticleFolder()
        path = folder.file("Moods.sqlite")
        try CoreDataFile.make(at: path)
    }

    @Test func aStoreIsReadWithItsOwnModel() async throws {
        // snippet: apple.read
        let moods = PersistentStoreDescription.sqlite(path).readOnly()
        let stored = try SQLiteStoreType().storedModel(of: moods)
        for finding in stored.findings { print(finding) }
        let container = try await PersistentContainer(model: stored.model, stores: [moods])
        let request = FetchRequest<ManagedObject>(entityName: "Mood")
        for mood in try container.viewContext.fetch(request) {
            print(try mood.value(forKey: "date") as? Date ?? .now)
        }
        // end
        let lines = stored.findings.map(\.description) + ["2001-01-01 00:00:00 +0000"]
        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("CoreDataStores").output("apple.read")))
        let mood = try #require(try container.viewContext.fetch(request).first)
        #expect(
            try mood.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 0))
        // snippet: apple.archive
        if let data = try mood.value(forKey: "colors") as? Data {
            print(try ArchivedValue(archive: data))
        }
        // end
        let data = try #require(try mood.value(forKey: "colors") as? Data)
        #expect(
            try ArchivedValue(archive: data) == .array([.string("red"), .string("blue")]))
        try container.close()
    }

    @Test func valuesHaveTheTypesThatAreRegistered() throws {
        let moods = PersistentStoreDescription.sqlite(path).readOnly()
        // snippet: apple.types
        let stored = try SQLiteStoreType().storedModel(
            of: moods,
            codableTypes: [
                CodableType("Colors", [String].self),
                CodableType("NSSecureUnarchiveFromData", ArchivedValue.self),
            ])
        // end
        #expect(stored.findings.isEmpty)
        let container = try PersistentContainer.open(model: stored.model, stores: [moods])
        let found = try container.viewContext.fetch(
            FetchRequest<ManagedObject>(entityName: "Mood"))
        #expect(try found.first?.value(forKey: "colors") as? [String] == ["red", "blue"])
        try container.close()
    }

    @Test func aStoreIsOpenedForWriting() async throws {
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreDescription.sqlite(path).open(
                model: CoreDataFile.model(transformer: nil))
        }
        #expect(error?.code == .unsupported)
        // snippet: apple.write
        let colors = AttributeDescription.codable(
            [String]?.self, name: "colors", identifier: "Colors"
        ).transformed(by: "NSSecureUnarchiveFromData")
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Mood",
                attributes: [AttributeDescription("date", .date, isOptional: true), colors])
        ])
        let container = try await PersistentContainer(model: model, stores: [.sqlite(path)])
        // end
        let mood = try #require(
            try container.viewContext.fetch(FetchRequest<ManagedObject>(entityName: "Mood")).first)
        try mood.setValue(["green"], forKey: "colors")
        try container.viewContext.save()
        guard case .binary(let bytes) = try mood.storedValue(forKey: "colors") else {
            Issue.record("the value is not stored as bytes")
            return
        }
        #expect(try ArchivedValue(archive: bytes) == .array([.string("green")]))
        try container.close()
    }

    @Test func hashesAreGivenToANewStore() throws {
        let path = folder.file("library.sqlite")
        let model = try CoreDataFile.model(transformer: "NSSecureUnarchiveFromData")
        let hashes = ["Mood": Data(repeating: 1, count: 32)]
        // snippet: apple.hashes
        let library = PersistentStoreDescription.sqlite(path)
            .appleVersionHashes(AppleVersionHashes(hashes))
        try library.open(model: model).close()
        for line in try SQLiteStoreType().differencesFromCoreData(in: library, model: model) {
            print(line)
        }
        // end
        let lines = try SQLiteStoreType().differencesFromCoreData(in: library, model: model)
        #expect(
            lines.joined(separator: "\n")
                == (try Article.named("CoreDataStores").output("apple.hashes")))
    }
}
