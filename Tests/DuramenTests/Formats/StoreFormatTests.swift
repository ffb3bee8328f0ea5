import Duramen
import DuramenLMDB
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Stores of earlier builds open, with everything that they hold.
///
/// Whoever changes what a store writes raises the format number of that store, keeps reading the
/// one before, and adds its files: `DURAMEN_WRITE_FIXTURES=1 swift test --filter StoreFormatTests`.
@MainActor
@Suite struct StoreFormatTests {
    /// A folder of `Tests/Fixtures/stores`, such as `sqlite-1`.
    struct Fixture: Sendable, CustomTestStringConvertible {
        let name: String

        var testDescription: String { name }
        var format: Int { name.split(separator: "-").last.flatMap { Int($0) } ?? 0 }
        var kind: String { name.split(separator: "-").first.map(String.init) ?? "" }
        var path: String { Fixture.folder + "/" + name }

        static let folder =
            URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .path + "/Fixtures/stores"

        static let all: [Fixture] = {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.sorted().map { Fixture(name: $0) }
        }()

        /// The store in a folder that holds a copy of the fixture.
        func store(in folder: String) -> PersistentStoreDescription {
            let store: PersistentStoreDescription =
                kind == "lmdb" ? .lmdb(folder + "/store.lmdb") : .sqlite(folder + "/store.sqlite")
            return store.keepingHistory().largestInlineValue(bytes: 1_000)
        }

        /// The contents, in the words of ``Exhibition``.
        var contents: String {
            get throws { try String(contentsOfFile: path + "/contents.txt", encoding: .utf8) }
        }
    }

    private let scratch = TemporaryFolder()

    private func copy(_ fixture: Fixture) throws -> String {
        let path = scratch.file(fixture.name)
        try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
        return path
    }

    private func exhibition(_ store: PersistentStoreDescription) throws -> Exhibition {
        Exhibition(
            context: try PersistentContainer.open(model: Exhibition.model, stores: [store])
                .viewContext)
    }

    private func writer(_ store: PersistentStoreDescription) throws -> String {
        try #require(store.type as? any InspectableStoreType)
            .report(on: store, checks: true).writer
    }

    @Test(arguments: Fixture.all)
    func aStoreOfAnEarlierFormatHoldsWhatItHeldAndGoesOn(fixture: Fixture) throws {
        let store = fixture.store(in: try copy(fixture))
        #expect(try writer(store) == "Duramen, format \(fixture.format)")
        #expect(try exhibition(store.readOnly()).description() == fixture.contents)
        #expect(try exhibition(store).description() == fixture.contents)

        // Hashes of ours that earlier formats gave out as Core Data's are gone.
        if fixture.kind == "sqlite" {
            let differences = try SQLiteStoreType().differencesFromCoreData(
                in: store.readOnly(), model: Exhibition.model)
            #expect(differences.contains { $0.contains("no version hashes") })
        }
        let fresh = fixture.store(in: scratch.file("fresh"))
        try FileManager.default.createDirectory(
            atPath: scratch.file("fresh"), withIntermediateDirectories: true)
        try exhibition(fresh).fill()
        try exhibition(fresh).edit()
        try exhibition(store).edit()
        // Which keys new objects get depends on how many the store had given away.
        let numbers = /\ \d+/
        #expect(
            try exhibition(store).description().replacing(numbers, with: "")
                == exhibition(fresh).description().replacing(numbers, with: ""))
        #expect(throws: SaveConflictError.self) { try exhibition(store).repeatUniqueValue() }
    }

    /// Writes the files of the present format, when asked to.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["DURAMEN_WRITE_FIXTURES"] != nil),
        arguments: ["lmdb", "sqlite"])
    func theFilesOfThePresentFormatAreWritten(kind: String) throws {
        let trial = Fixture(name: kind)
        let folder = scratch.file("written")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let store = trial.store(in: folder)
        let container = try PersistentContainer.open(model: Exhibition.model, stores: [store])
        let exhibition = Exhibition(context: container.viewContext)
        try exhibition.fill()
        try writeFile(folder + "/contents.txt", exhibition.description())
        // The last reader holds on to what a file that is closed for good has no more.
        exhibition.context.reset()
        try container.close()
        let format = try #require(try writer(store).split(separator: " ").last)
        let fixture = Fixture(name: "\(kind)-\(format)")
        try FileManager.default.createDirectory(
            atPath: Fixture.folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder, toPath: fixture.path)
    }

    @Test(arguments: ["lmdb", "sqlite"])
    func thePresentFormatHasFilesToProveItWith(kind: String) throws {
        let fixture = try #require(
            Fixture.all.filter { $0.kind == kind }.max { $0.format < $1.format })
        try FileManager.default.createDirectory(
            atPath: scratch.file("now"), withIntermediateDirectories: true)
        let store = fixture.store(in: scratch.file("now"))
        let exhibition = try exhibition(store)
        try exhibition.fill()
        #expect(try exhibition.description() == fixture.contents)
        #expect(try writer(store) == "Duramen, format \(fixture.format)")
    }
}
