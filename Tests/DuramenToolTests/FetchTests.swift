import DuramenLMDB
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct FetchTests {
    let folder = TemporaryFolder()

    private func shelf() throws -> Shelf { try Shelf(.sqlite(folder.file("shelf.sqlite"))) }

    // MARK: - Formats

    @Test("CSV has titles, quotes where they are needed, and exact values")
    func csv() throws {
        let shelf = try shelf()
        let fetch = try Tool("fetch", shelf.path, "Book", "--format", "csv")
        #expect(fetch.status == 0)
        #expect(fetch.errors == "")
        let uri = "x-coredata://\(shelf.identifier)"
        let lines = [
            "objectID,code,cover,isLent,link,pages,price,published,rating,title,author",
            "\(uri)/Book/p1,\(Shelf.code.uuidString),AP8K,true,\"https://example.org/a,b\",120,19.9,"
                + "2026-01-01T00:00:00.25Z,4.5,\"A \"\"big\"\", red\r\nbook \u{1B}[31m\","
                + "\(uri)/Person/p1",
            "\(uri)/Book/p2,,,,,40,,,,\"\",\(uri)/Poet/p2",
            "\(uri)/Book/p3,,,,,7,,,,漢字,",
        ]
        #expect(Array(fetch.output.utf8) == Array((lines.joined(separator: "\r\n") + "\r\n").utf8))
    }

    @Test("JSON has values of their types, and no control characters")
    func json() throws {
        let shelf = try shelf()
        let fetch = try Tool("fetch", shelf.path, "Book", "--format", "json")
        #expect(fetch.status == 0)
        #expect(!fetch.output.unicodeScalars.contains("\u{1B}"))
        let object = try JSONSerialization.jsonObject(with: Data(fetch.output.utf8))
        let books = try #require(object as? [[String: Any]])
        #expect(books.count == 3)
        let book = books[0]
        #expect(book["title"] as? String == "A \"big\", red\r\nbook \u{1B}[31m")
        #expect(book["pages"] as? Int == 120)
        #expect(book["price"] as? String == "19.9")
        #expect(book["rating"] as? Double == 4.5)
        #expect(book["isLent"] as? Bool == true)
        #expect(book["published"] as? String == "2026-01-01T00:00:00.25Z")
        #expect(book["cover"] as? String == "AP8K")
        #expect(book["code"] as? String == Shelf.code.uuidString)
        #expect(book["author"] as? String == "x-coredata://\(shelf.identifier)/Person/p1")
        #expect(books[2]["author"] is NSNull)
        #expect(books[1]["title"] as? String == "")
    }

    @Test("A table stands in columns, numbers on the right, on plain lines")
    func table() throws {
        let shelf = try shelf()
        let fetch = try Tool(
            "fetch", shelf.path, "Book", "--columns", "objectID,title,pages,cover,author")
        #expect(fetch.status == 0)
        let expected = #"""
            objectID  title                            pages  cover    author
            Book/p1   A "big", red\r\nbook \u{1B}[31m    120  3 bytes  Person/p1
            Book/p2                                       40  nil      Poet/p2
            Book/p3   漢字                                 7  nil      nil

            """#
        #expect(fetch.output == expected)
    }

    @Test("A table is as wide as the terminal, and long values are cut")
    func narrowTable() throws {
        let shelf = try shelf()
        let fetch = try Tool(
            "fetch", shelf.path, "Book", "--columns", "title,pages,link", width: 30)
        let expected = """
            title       pages  link
            A "big", …    120  https://e…
                           40  nil
            漢字            7  nil

            """
        #expect(fetch.output == expected)
    }

    @Test(
        "Without results there are titles, an empty array, or a line of titles",
        arguments: [
            ("table", "pages\n"), ("json", "[]\n"), ("csv", "pages\r\n"),
        ])
    func nothingFound(format: String, output: String) throws {
        let shelf = try shelf()
        let fetch = try Tool(
            "fetch", shelf.path, "Book", "--columns", "pages", "--where", "FALSEPREDICATE",
            "--format", format)
        #expect(fetch.status == 0)
        #expect(Array(fetch.output.utf8) == Array(output.utf8))
    }

    @Test("A path of too many steps is refused", arguments: ["--sort", "--columns", "--where"])
    func longPaths(option: String) throws {
        let shelf = try shelf()
        for steps in [129, 3_000, 15_000] {
            let path = Array(repeating: "author", count: steps).joined(separator: ".")
            let value = option == "--where" ? path + " == nil" : path
            let fetch = try Tool("fetch", shelf.path, "Book", option, value)
            #expect(fetch.status == 1, "\(steps) steps")
            #expect(fetch.errors.contains("128"), "\(fetch.errors.prefix(300))")
        }
    }

    @Test(
        "Many rows come one after the other, however they are printed",
        arguments: [
            "table", "json", "csv",
        ])
    func manyRows(format: String) throws {
        let path = try shelf().path
        let store = try PersistentStoreDescription.sqlite(path).open(model: Shelf.model)
        try store.insert("Person", all: (0..<1_500).map { ["name": .text(StoredText("\($0)"))] })
        try store.close()
        let fetch = try Tool(
            "fetch", path, "Person", "--columns", "name", "--format", format, "--where",
            "name != %@", "--arguments", "[\"7\"]")
        #expect(fetch.status == 0)
        let ending = format == "csv" ? "\r\n" : "\n"
        // By scalars: \r\n is one Character.
        let lines = fetch.output.components(separatedBy: ending)
        #expect(lines.count == 1_501 + (format == "json" ? 3 : 2))
    }

    // MARK: - Questions

    @Test("Conditions, order and window are those that are asked for")
    func questions() throws {
        let path = try shelf().path
        func pages(_ arguments: String...) throws -> [String] {
            let fetch = try Tool(
                ["fetch", path, "Book", "--columns", "pages", "--format", "csv"] + arguments)
            #expect(fetch.errors == "")
            return Array(fetch.output.components(separatedBy: "\r\n").dropFirst().dropLast())
        }
        #expect(try pages("--sort", "pages") == ["7", "40", "120"])
        #expect(try pages("--sort", "author.name:desc,pages:asc") == ["40", "120", "7"])
        #expect(try pages("--sort", "pages:desc", "--limit", "1", "--offset", "1") == ["40"])
        let names = "author.name:localizedStandard:desc,pages"
        #expect(try pages("--sort", names) == ["40", "120", "7"])
        #expect(
            try pages("--where", "pages BETWEEN %@", "--arguments", "[[7, 40]]") == ["40", "7"])
        #expect(
            try pages(
                "--where",
                "published > %@ AND code == %@ AND price == %@ AND cover == %@ AND %K == %@",
                "--arguments",
                """
                [{"date": "2026-01-01T00:00:00Z"}, {"uuid": "\(Shelf.code.uuidString)"},
                 {"decimal": "19.90"}, {"data": "AP8K"}, "link", {"url": "https://example.org/a,b"}]
                """) == ["120"])
    }

    @Test("An object can be asked for by its URI")
    func objectIDs() throws {
        let shelf = try shelf()
        let fetch = try Tool(
            "fetch", shelf.path, "Book", "--columns", "author.name", "--format", "csv", "--where",
            "author == %@ OR SELF IN %@", "--arguments",
            """
            [{"objectID": "x-coredata://\(shelf.identifier)/Poet/p2"},
             [{"objectID": "x-coredata://\(shelf.identifier)/Book/p1"}]]
            """)
        #expect(fetch.errors == "")
        #expect(
            fetch.output.components(separatedBy: "\r\n") == [
                "author.name", "\"Ursula, \"\"U\"\"\"", "李白", "",
            ])
    }

    @Test("A column that is named twice is printed once")
    func columnsAreDistinct() throws {
        let fetch = try Tool(
            "fetch", try shelf().path, "Book", "--columns", "pages,author,pages", "--limit", "1")
        #expect(fetch.output == "pages  author\n  120  Person/p1\n")
    }

    @Test("Objects are counted")
    func count() throws {
        let path = try shelf().path
        #expect(try Tool("count", path, "Book").output == "3\n")
        #expect(try Tool("count", path, "Person").output == "2\n")
        #expect(
            try Tool("count", path, "Book", "--where", "pages > %d", "--arguments", "[7]").output
                == "2\n")
    }

    // MARK: - Stores without a model

    @Test("A store that keeps no model borrows that of another")
    func borrowedModel() throws {
        let plain = try Shelf(.sqlite(folder.file("plain.sqlite")))
        try Shelf.execute("DROP TABLE DURAMEN_MODEL", in: plain.path)
        let alone = try Tool("count", plain.path, "Book")
        #expect(alone.status == 1)
        #expect(
            alone.errors
                == "Error: '\(plain.path)' keeps no model of its own; name a model file with --model, or a "
                + "store that keeps the model with --model-of. [modelMissing]\n")
        let count = try Tool("count", plain.path, "Book", "--model-of", try shelf().path)
        #expect(count.errors == "")
        #expect(count.output == "3\n")
    }

    @Test("Stores of Duramen keep their model")
    func keptModel() throws {
        for store in [
            PersistentStoreDescription.lmdb(folder.file("own.lmdb")),
            .sqlite(folder.file("own.sqlite")),
        ] {
            let count = try Tool("count", try Shelf(store).path, "Book", "--where", "pages > 7")
            #expect(count.errors == "")
            #expect(count.output == "2\n")
        }
    }

    @Test(
        "A store of Core Data's is read with its own model",
        .enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    func appleStore() throws {
        let name = try #require(Corpus.stores.first { $0.hasSuffix("Moody 2.moody") })
        let path = try Corpus.copy(name, to: folder)
        let fetch = try Tool(
            "fetch", path, "Mood", "--columns", "objectID,country.continent", "--where",
            "rating < 1", "--sort", "date:desc", "--limit", "2", "--format", "table")
        #expect(fetch.errors == "")
        #expect(
            fetch.output == """
                objectID  country.continent
                Mood/p1   Continent/p2
                Mood/p4   Continent/p1

                """)
    }

    // MARK: - Mistakes

    @Test(
        "What does not fit the model is one line of error and status 1",
        arguments: [
            ["Bok"], ["Book", "--columns", "titel"], ["Book", "--columns", "author.books"],
            ["Book", "--columns", "title.length"], ["Book", "--columns", ""],
            ["Book", "--columns", "pages,"], ["Person", "--columns", "books"],
            ["Book", "--sort", "nothing"], ["Book", "--sort", "author"],
            ["Book", "--where", "titel == 'x'"], ["Book", "--where", "pages == 'x\n'"],
            ["Book", "--where", "pages > $x"], ["Book", "--arguments", "[1]"],
            ["Book", "--where", "pages == %@", "--arguments", "{"],
            [
                "Book", "--where", "SELF == %@", "--arguments",
                #"[{"objectID": "x-coredata://a/No/p1"}]"#,
            ],
            ["Book", "--model-of", "nowhere.sqlite"],
        ])
    func misfits(arguments: [String]) throws {
        let fetch = try Tool(["fetch", try shelf().path] + arguments)
        #expect(fetch.status == 1)
        #expect(fetch.output == "")
        #expect(fetch.errors.hasPrefix("Error: "))
        #expect(fetch.errors.split(separator: "\n").count == 1, "\(fetch.errors)")
    }

    @Test(
        "A store that is not there is one line of error and status 1",
        arguments: [
            "x", "sqlite:x", "lmdb:x", "", "sqlite:", "nowhere/x",
        ])
    func missingStore(path: String) throws {
        for command in ["fetch", "count", "explain"] {
            let tool = try Tool(command, path, "Book")
            #expect(tool.status == 1, "\(command)")
            #expect(tool.output == "")
            #expect(tool.errors.split(separator: "\n").count == 1, "\(tool.errors)")
        }
    }

    @Test("A mistake in a condition is shown in its place")
    func formatMistakes() throws {
        for command in ["fetch", "count", "explain"] {
            let tool = try Tool(command, try shelf().path, "Book", "--where", "pages = = 3")
            #expect(tool.status == 1)
            #expect(tool.output == "")
            let lines = tool.errors.components(separatedBy: "\n")
            #expect(lines.dropFirst() == ["  pages = = 3", "          ^", ""])
        }
    }

    @Test(
        "Wrong usage is status 64",
        arguments: [
            ["fetch"], ["fetch", "a"], ["fetch", "a", "b", "c"],
            ["fetch", "a", "b", "--limit", "x"],
            ["fetch", "a", "b", "--limit=-1"], ["fetch", "a", "b", "--offset=-1"],
            ["fetch", "a", "b", "--sort", ""], ["fetch", "a", "b", "--sort", "x:up"],
            ["fetch", "a", "b", "--sort", "x,,y"], ["fetch", "a", "b", "--format", "xml"],
            ["count"], ["count", "a", "b", "--limit", "1"], ["explain", "a"],
            ["predicate", "parse"],
            ["predicate", "nothing"],
        ])
    func usage(arguments: [String]) throws {
        let tool = try Tool(arguments)
        #expect(tool.status == 64)
        #expect(tool.output == "")
        #expect(tool.errors.hasPrefix("Error: "))
    }
}
