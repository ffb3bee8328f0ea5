import DuramenLMDB
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// `duramen verify` and `duramen convert`
@Suite struct ConvertTests {
    private let folder = TemporaryFolder()

    @Test("A store is converted there and back, and its checksums stay")
    func thereAndBack() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        let (there, back) = (folder.file("b.lmdb"), folder.file("c.sqlite"))
        let first = try Tool("convert", shelf.path, "lmdb:" + there)
        #expect(first.status == 0 && first.errors == "")
        let second = try Tool(
            "convert", "lmdb:" + there, "sqlite:" + back)
        #expect(second.status == 0 && second.output == first.output)
        let titles = first.output.split(separator: "\n").map { line in
            line.split(separator: " ").prefix(3).joined(separator: " ")
        }
        #expect(titles == ["name rows pairs", "Book 3 0", "Person 1 0", "Poet 1 0"])
        #expect(try Tool("verify", shelf.path).output.hasPrefix(first.output))
        #expect(
            try Tool("verify", there).output.hasPrefix(first.output))

        // What is printed of the objects is the same, but for the stores that URIs name.
        func books(_ store: String) throws -> String {
            let books = try Tool(
                "fetch", store, "Book", "--format", "json",
                "--columns",
                "title,pages,price,rating,isLent,published,cover,code,link,author.name")
            #expect(books.status == 0)
            return books.output
        }
        #expect(try books(back) == books(shelf.path))
        // It is another store.
        let identifiers = try [shelf.path, there, back].map { path in
            try NamedReport(Tool("info", path, "--json").output).identifier
        }
        #expect(Set(identifiers).count == 3)
    }

    @Test("An empty store is filled, and one with objects stays as it is")
    func into() throws {
        let shelf = try Shelf(.lmdb(folder.file("a.lmdb")))
        let template = folder.file("template.sqlite")
        try PersistentStoreDescription.sqlite(template).open(model: Shelf.model).close()
        let identifier = try NamedReport(Tool("info", template, "--json").output).identifier
        let filled = try Tool("convert", shelf.path, "--into", template)
        #expect(filled.status == 0 && filled.errors == "")
        #expect(try Tool("verify", template).output.hasPrefix(filled.output))
        #expect(try NamedReport(Tool("info", template, "--json").output).identifier == identifier)

        let before = FileManager.default.contents(atPath: template)
        let again = try Tool("convert", shelf.path, "--into", template)
        #expect(again.status != 0 && again.errors.contains("objects of 'Book' already"))
        #expect(FileManager.default.contents(atPath: template) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.contains("filling") } == [])
        #expect(try Tool("convert", shelf.path, "sqlite:x", "--into", template).status == 64)
        #expect(try Tool("convert", shelf.path).status == 64)
    }

    @Test("In what a store differs from Core Data's is listed when asked for")
    func differences() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        let line = "  \"DURAMEN_SAVE\": Core Data has no such table"
        #expect(try Tool("info", shelf.path, "--apple").output.contains(line))
        #expect(try !Tool("info", shelf.path).output.contains("DURAMEN_SAVE"))
        #expect(
            try Tool("info", shelf.path, "--apple", "--json").output.contains(
                "differencesFromCoreData"))
        let other = try Shelf(.lmdb(folder.file("a.lmdb")))
        #expect(try Tool("info", other.path, "--apple").errors.contains("is not an SQLite store"))
    }

    private struct NamedReport {
        let identifier: String

        init(_ json: String) throws {
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
            identifier = (object as? [String: Any])?["identifier"] as? String ?? ""
        }
    }

    @Test(
        "Stores that Core Data wrote are converted whole",
        .enabled(if: Corpus.folder != nil, "\(Corpus.missing)"), arguments: Corpus.stores)
    func appleStores(store: String) throws {
        let path = try Corpus.copy(store, to: folder)
        // Old ones keep no model of their own, and are read by their columns.
        let made = folder.file("made.lmdb")
        let converted = try Tool("convert", path, "lmdb:" + made)
        #expect(converted.status == 0, "\(converted.errors)")
        #expect(
            try Tool("verify", made, "--model-of", path).output.hasPrefix(converted.output))
    }

    @Test("Nothing is overwritten, and a conversion that fails leaves nothing")
    func failures() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        let taken = try Tool("convert", shelf.path, "lmdb:" + shelf.path)
        #expect(taken.status == 1)
        #expect(
            taken.errors
                == "Error: There is something at '\(shelf.path)' already; name a place where nothing is. "
                + "[invalidRequest]\n")
        #expect(try Tool("count", shelf.path, "Book").output == "3\n")

        let missing = try Tool(
            "convert", folder.file("none.sqlite"), "sqlite:" + folder.file("new.sqlite"))
        #expect(missing.status == 1 && missing.errors.contains("none.sqlite"))
        let modelless = try Shelf(.sqlite(folder.file("b.sqlite")))
        try Shelf.execute("DROP TABLE DURAMEN_MODEL", in: modelless.path)
        let made = folder.file("made.sqlite")
        #expect(try Tool("convert", modelless.path, "sqlite:" + made).errors.contains("--model-of"))
        // Whether it is to be a file or a folder is not guessed.
        #expect(try Tool("convert", shelf.path, made).status == 64)
        #expect(!FileManager.default.fileExists(atPath: made))
    }

    @Test("What refers to objects that are not there is found")
    func danglingReferences() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        #expect(try Tool("verify", shelf.path).status == 0)
        try Shelf.execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE ZPAGES = 40", in: shelf.path)
        let broken = try Tool("verify", shelf.path)
        #expect(broken.status == 1)
        #expect(
            broken.errors
                == "Error: 1 of the references 'Book.author' refers to a missing object; the first is "
                + "that of Book/p2. [damagedFile]\n")
    }
}
