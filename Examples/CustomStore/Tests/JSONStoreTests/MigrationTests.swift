import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import JSONStore
import Testing

/// Stores whose model changes.
@Suite struct MigrationTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path("a.json") }

    /// The model of ``Shelf`` after some changes.
    private func newModel() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Volume", renamingIdentifier: "Book",
                attributes: [
                    AttributeDescription("title", .string),
                    AttributeDescription("pages", .integer64, isOptional: true),
                    AttributeDescription("language", .string, default: .text("en")),
                ],
                relationships: [
                    .toOne("sequel", destination: "Volume", inverse: "prequels"),
                    .toMany("prequels", destination: "Volume"),
                    .toMany("quotes", destination: "Volume", inverse: "quotedBy"),
                    .toMany("quotedBy", destination: "Volume"),
                ])
        ])
    }

    @Test func openingAStoreWithANewModelMigratesIt() throws {
        let shelf = try Shelf(path)
        try shelf.add("first", pages: 100)
        let keys = try shelf.keys(1)
        try shelf.store.close()

        let model = try newModel()
        let store = try shelf.description.open(model: model)
        defer { try? store.close() }
        #expect(store.handle.uuid == shelf.store.handle.uuid)
        let contents = try StoreContents(reading: store.snapshot(), of: store)
        #expect(
            contents.records.values.map(\.values) == [
                ["title": .text("first"), "pages": .integer(100), "language": .text("en")]
            ])
        let volume = try #require(model.entity(named: "Volume"))
        let key = try store.allocateKeys(1, for: volume.id).lowerBound
        #expect(keys.allSatisfy { $0 < key })
        let metadata = try store.metadata()
        #expect(metadata.migrations.map(\.target) == [model.versionChecksum])
        #expect(
            try JSONStoreType().storedModel(of: shelf.description).model.versionChecksum
                == model.versionChecksum)
    }

    @Test func aStoreThatIsOpenMeanwhileIsSpent() throws {
        let shelf = try Shelf(path)
        try shelf.add("first")
        let snapshot = try shelf.store.snapshot()
        let bytes = try Data(contentsOf: URL(filePath: path))
        // As another process would replace it.
        try JSONStoreType().copy(shelf.description, to: .json(folder.path("b.json")))
        try shelf.store.close()
        try PersistentStoreDescription.json(folder.path("b.json")).open(model: newModel()).close()
        let migrated = try Data(contentsOf: URL(filePath: folder.path("b.json")))

        try bytes.write(to: URL(filePath: path), options: .atomic)
        let old = try Shelf(path)
        try migrated.write(to: URL(filePath: path), options: .atomic)
        expect(.storeMigrated) { _ = try old.store.snapshot() }
        expect(.storeMigrated) { try old.add("second") }
        #expect(try Data(contentsOf: URL(filePath: path)) == migrated)
        #expect(try shelf.titles(in: snapshot) == ["first"])
    }

    @Test func aFileOfTheFirstFormatGetsItsModelAndIsMigrated() throws {
        let shelf = try Shelf(path)
        try shelf.add("first")
        try shelf.store.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let old = try text.replacing(#""formatVersion" : 2"#, with: #""formatVersion" : 1"#)
            .replacing(Regex(#""model" : ".*",\n"#), with: "")
        #expect(old != text)
        try Data(old.utf8).write(to: URL(filePath: path))

        expect(.sourceModelMissing) { _ = try shelf.description.open(model: newModel()) }
        #expect(try Shelf(path, isReadOnly: true).titles() == ["first"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == old)
        try Shelf(path).store.close()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        try shelf.description.open(model: newModel()).close()
    }

    /// `DURAMEN_SCRIPTS=1000` runs that many; `DURAMEN_SEED` begins elsewhere.
    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["DURAMEN_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        let count = environment["DURAMEN_SCRIPTS"].flatMap { Int($0) } ?? 30
        for number in 0..<count {
            let store = PersistentStoreDescription.json(folder.path("\(number).json"))
                .durability(.unsafeNoSync)
            var run = EvolutionRun(seed: seed, case: number, on: store)
            #expect(throws: Never.self, "DURAMEN_SEED=\(seed), case \(number)") { try run.run() }
        }
    }
}
