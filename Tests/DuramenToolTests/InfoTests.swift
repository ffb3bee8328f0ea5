import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct InfoTests {
    let folder = TemporaryFolder()

    private static let model = testModel([
        EntityDescription(
            name: "Book",
            attributes: [AttributeDescription("title", .string, isOptional: true)],
            relationships: [.toOne("author", destination: "Person", inverse: "books")]),
        EntityDescription(
            name: "Person",
            relationships: [.toMany("books", destination: "Book", inverse: "author")]),
        EntityDescription(name: "Poet", superentity: "Person"),
    ])

    /// A store of one person, one poet and two books.
    private func fill(_ description: PersistentStoreDescription) throws -> String {
        let store = try description.open(model: Self.model)
        try store.insert("Person")
        let poet = try store.insert("Poet")
        try store.insert("Book", all: [["author": .objectID(poet)], [:]])
        let identifier = try store.metadata().storeUUID
        try store.close()
        try description.type.setUserInfo(
            ["opened": .integer(3), "note": .text("two\nlines")], of: description)
        return identifier.uuidString
    }

    @Test("Help says what the program does")
    func help() throws {
        let help = try Tool("--help")
        #expect(help.status == 0)
        #expect(help.output == Golden.help)
        let info = try Tool("info", "--help")
        #expect(info.status == 0)
        #expect(info.output == Golden.infoHelp)
    }

    @Test("An SQLite store is described")
    func sqlite() throws {
        let path = folder.file("a.sqlite")
        let identifier = try fill(.sqlite(path))
        let info = try Tool("info", path)
        #expect(info.status == 0)
        #expect(info.errors == "")
        #expect(
            info.output.replacing(path, with: "PATH").replacing(identifier, with: "UUID")
                == Golden.sqlite)
        #expect(try Tool("info", "sqlite:" + path).output == info.output)
    }

    @Test("An LMDB store is described")
    func lmdb() throws {
        let path = folder.file("a.lmdb")
        let identifier = try fill(.lmdb(path))
        let info = try Tool("info", "--check", path)
        #expect(info.status == 0)
        #expect(
            info.output.replacing(path, with: "PATH").replacing(identifier, with: "UUID")
                == Golden.lmdb)
        #expect(try Tool("info", "lmdb:" + path).output == info.output)
    }

    @Test(
        "A store of Core Data's is described with what is simplified and what is missing",
        .enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    func appleStore() throws {
        let name = try #require(Corpus.stores.first { $0.hasSuffix("Moody 2.moody") })
        let path = try Corpus.copy(name, to: folder)
        let info = try Tool("info", "--check", path)
        #expect(info.status == 0)
        #expect(info.output.replacing(path, with: "PATH") == Golden.apple)
    }

    @Test("JSON holds the same for programs")
    func json() throws {
        let path = folder.file("a.sqlite")
        let identifier = try fill(.sqlite(path))
        let info = try Tool("info", "--json", path)
        #expect(info.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(info.output.utf8))
        let report = try #require(object as? [String: Any])
        #expect(report["identifier"] as? String == identifier)
        #expect(report["userInfo"] as? [String: String] == ["opened": "3", "note": "two\nlines"])
        let entities = try #require(report["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Book", "Person", "Poet"])
        #expect(entities.map { $0["rows"] as? Int } == [2, 1, 1])
        #expect(entities.map { $0["superentity"] as? String } == [nil, nil, "Person"])
    }

    @Test("A store that cannot be read is one line of error and status 1")
    func failures() throws {
        let text = folder.file("line\nbreak.txt")
        try writeFile(text, "no database, but long enough to have a header: nothing of it is read")
        for path in [folder.file("missing"), text, "lmdb:" + text, "sqlite:" + folder.path] {
            let info = try Tool("info", path)
            #expect(info.status == 1, "\(path)")
            #expect(info.output == "")
            #expect(info.errors.hasPrefix("Error: "))
            #expect(info.errors.split(separator: "\n").count == 1, "\(info.errors)")
        }
    }

    @Test("Wrong arguments are status 64")
    func usage() throws {
        for info in try [Tool("info"), Tool("info", "--wrong", "x"), Tool("nothing")] {
            #expect(info.status == 64)
            #expect(info.output == "")
            #expect(info.errors.hasPrefix("Error: "))
        }
    }
}
