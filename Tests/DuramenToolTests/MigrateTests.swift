import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// `duramen migrate`
@Suite struct MigrateTests {
    private let folder = TemporaryFolder()

    /// A store of three books, and a store whose model is a later version of the same.
    private func stores(
        _ kind: String, _ change: (inout EntityDescription) -> Void
    ) throws -> (store: Shelf, target: String) {
        var descriptions = Shelf.model.descriptions
        change(&descriptions[0])
        func description(_ name: String) -> PersistentStoreDescription {
            kind == "lmdb" ? .lmdb(folder.file(name)) : .sqlite(folder.file(name))
        }
        let target = description("target")
        try target.open(model: testModel(descriptions)).close()
        return (try Shelf(description("shelf")), target.location)
    }

    private func loseRating(_ book: inout EntityDescription) {
        book.attributes.removeAll { $0.name == "rating" }
        book.attributes.append(
            AttributeDescription("copies", .integer16, default: .integer(1)))
    }

    @Test("A plan counts what is lost and changes nothing", arguments: ["sqlite", "lmdb"])
    func plan(kind: String) throws {
        let (shelf, target) = try stores(kind, loseRating)
        let before = try Tool("verify", shelf.path)
        let plan = try Tool("migrate", shelf.path, "--to", target, width: 200)
        #expect(plan.status == 0 && plan.errors == "")
        #expect(plan.output.contains("  5 objects, needs less than 1 MiB, less than 1 s\n"))
        #expect(plan.output.contains("  Book.copies: attribute added\n"))
        #expect(plan.output.contains("  Book.rating: attribute removed; LOSS: 1 of its values\n"))
        #expect(try Tool("verify", shelf.path).output == before.output)
        let again = try Tool("migrate", target, "--to", target)
        #expect(again.status == 0 && again.output.contains("nothing to do"))
    }

    @Test("A dry run leaves the store as it is, and no copy", arguments: ["sqlite", "lmdb"])
    func dryRun(kind: String) throws {
        let (shelf, target) = try stores(kind, loseRating)
        let before = try Tool("verify", shelf.path)
        let dry = try Tool("migrate", shelf.path, "--to", target, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("a copy was migrated in "))
        #expect(try Tool("verify", shelf.path).output == before.output)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.contains("dry-run") } == [])
    }

    @Test("A copy is kept when it is asked for", arguments: ["sqlite", "lmdb"])
    func backup(kind: String) throws {
        let (shelf, target) = try stores(kind, loseRating)
        let before = try Tool("verify", shelf.path).output
        let done = try Tool(
            "migrate", shelf.path, "--to", target, "--execute", "--backup", "always", width: 300)
        let line = try #require(
            done.output.split(separator: "\n").first { $0.hasPrefix("copy kept at ") })
        let copy = String(line.dropFirst("copy kept at ".count))
        #expect(done.status == 0 && copy.hasPrefix(shelf.path + ".before-"))
        #expect(try Tool("verify", copy).output.replacing(copy, with: shelf.path) == before)
    }

    @Test("What is executed is there", arguments: ["sqlite", "lmdb"])
    func execution(kind: String) throws {
        let (shelf, target) = try stores(kind, loseRating)
        let run = try Tool("migrate", shelf.path, "--to", target, "--execute")
        #expect(run.status == 0 && run.output.hasSuffix("done\n"))
        #expect(try Tool("count", shelf.path, "Book", "--where", "copies == 1").output == "3\n")
        let again = try Tool("migrate", shelf.path, "--to", target)
        #expect(again.output.contains("nothing to do"))
        // A model that has the attribute again is another version than the first.
        #expect(try Tool("verify", shelf.path).status == 0)
    }

    @Test("What has to be decided is said, and a fill decides it")
    func decisions() throws {
        let (shelf, target) = try stores("sqlite") { book in
            book.attributes.append(AttributeDescription("copies", .integer16))
        }
        let refused = try Tool("migrate", shelf.path, "--to", target, "--execute", width: 200)
        #expect(refused.status == 2)
        #expect(refused.output.contains("to be decided first:\n  Book.copies: attribute added"))
        let wrong = try Tool("migrate", shelf.path, "--to", target, "--fill", "Book.copies=many")
        #expect(wrong.status == 1 && wrong.errors.contains("needs a value of type Integer 16"))
        let unknown = try Tool("migrate", shelf.path, "--to", target, "--fill", "Book.none=1")
        #expect(unknown.status == 1 && unknown.errors.contains("no attribute 'Book.none'"))
        let filled = try Tool(
            "migrate", shelf.path, "--to", target, "--fill", "Book.copies=4", "--execute")
        #expect(filled.status == 0)
        #expect(try Tool("count", shelf.path, "Book", "--where", "copies == 4").output == "3\n")
    }

    @Test("A plan without loss refuses a removal, and JSON says the same as the text")
    func json() throws {
        struct Report: Decodable {
            struct Change: Decodable {
                var property: String?
                var lostCount: Int?
            }
            var rows: [String: Int]
            var changes: [Change]
            var refusals: [String]
        }
        let (shelf, target) = try stores("sqlite", loseRating)
        let strict = try Tool(
            "migrate", shelf.path, "--to", target, "--json", "--allow-loss", "none")
        #expect(strict.status == 2)
        let report = try JSONDecoder().decode(Report.self, from: Data(strict.output.utf8))
        #expect(report.rows == ["Book": 3, "Person": 1, "Poet": 1])
        #expect(report.changes.map(\.property) == ["copies", "rating"])
        #expect(report.changes.map(\.lostCount) == [nil, 1])
        #expect(report.refusals.count == 1)
    }

    @Test(
        "Of objects that share values one stays, when it is said which",
        arguments: ["sqlite", "lmdb"])
    func unique(kind: String) throws {
        let (shelf, target) = try stores(kind) { $0.uniquenessConstraints = [["title"]] }
        let description: PersistentStoreDescription =
            kind == "lmdb" ? .lmdb(shelf.path) : .sqlite(shelf.path)
        let store = try description.open(model: Shelf.model)
        try store.insert("Book", all: [["title": .text("漢字"), "pages": .integer(8)]])
        try store.close()
        let refused = try Tool("migrate", shelf.path, "--to", target, "--execute")
        #expect(refused.status == 1 && refused.errors.contains("share values of 'title'"))
        let arguments = ["migrate", shelf.path, "--to", target, "--unique", "Book.title"]
        let plan = try Tool(arguments + ["--keep", "newest", "--dry-run"], width: 200)
        #expect(plan.status == 0)
        #expect(plan.output.contains("  deduplicate Book by title, keep the newest\n"))
        #expect(plan.output.contains("  Book: 3 objects\n"))
        #expect(try Tool("count", shelf.path, "Book").output == "4\n")
        let done = try Tool(arguments + ["--keep", "newest", "--execute"])
        #expect(done.status == 0 && done.output.contains("copy kept at "))
        #expect(try Tool("count", shelf.path, "Book").output == "3\n")
        #expect(try Tool("count", shelf.path, "Book", "--where", "pages == 8").output == "1\n")
    }

    @Test("A frozen version is a target, and a store is frozen")
    func frozen() throws {
        let (shelf, target) = try stores("sqlite", loseRating)
        let models = folder.file("Models")
        for (store, name) in [(shelf.path, "1.0"), (target, "1.1")] {
            let frozen = try Tool("model", "freeze", store, "--name", name, "--into", models)
            #expect(
                frozen.status == 0 && frozen.output.hasPrefix("\(models)/\(name).duramenmodel  "))
        }
        let taken = try Tool("model", "freeze", target, "--name", "1.0", "--into", models)
        #expect(taken.status != 0 && taken.errors.contains("freeze this one under a new name"))
        let version = models + "/1.1.duramenmodel"
        #expect(try Tool("migrate", shelf.path, "--to", version, "--execute").status == 0)
        #expect(try Tool("migrate", shelf.path, "--to", target).output.contains("nothing to do"))
        #expect(try Tool("model", "check", folder.path).status == 0)
        try "{}".write(toFile: version, atomically: true, encoding: .utf8)
        let edited = try Tool("model", "check", folder.path)
        #expect(edited.status == 1 && edited.output.contains("1.1.duramenmodel:1:1: error: "))
    }

    @Test("Arguments that contradict each other are refused")
    func arguments() throws {
        #expect(try Tool("migrate", "x", "--to", "y", "--dry-run", "--execute").status == 64)
        #expect(try Tool("migrate", "x", "--to", "y", "--fill", "pages").status == 64)
        #expect(try Tool("migrate", "x", "--to", "y", "--unique", "Book.title").status == 64)
        #expect(try Tool("migrate", "x", "--to", "y", "--keep", "oldest").status == 64)
        #expect(
            try Tool("migrate", "x", "--to", "y", "--keep", "oldest", "--unique", "title").status
                == 64)
        #expect(try Tool("migrate", folder.file("none"), "--to", "y").status == 1)
    }
}
