import Duramen
import DuramenModel
import Foundation
import StoreTestSupport
import Testing

@MainActor struct ImportTests {
    private static let feed = """
        [{"isbn": "1", "title": "Solaris", "pages": 204, "author": {"name": "Lem", "born": 1921},
          "tags": ["sea", "mind"]},
         {"isbn": "2", "title": "Kindred", "pages": 264, "author": "Butler", "unknown": [{"a": 1}]},
         {"isbn": "3", "title": "Eden", "author": "Lem", "tags": ["mind"]}]
        """

    @Test(arguments: StoreKind.allCases)
    func elementsBecomeObjectsWithTheirDestinations(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let report = try container.viewContext.importJSON(Self.feed)
        #expect(report.elementCount == 3 && report.failures == [])
        #expect(report.entities["Book"]?.inserted == 3)
        #expect(report.entities["Author"]?.inserted == 2)
        #expect(report.entities["Tag"]?.inserted == 2)
        #expect(!container.viewContext.hasChanges)
        let context = container.otherContext()
        let books = try context.objects("Book", by: "isbn")
        let authors = try context.objects("Author", by: "name")
        #expect(Set(books.keys) == ["1", "2", "3"] && Set(authors.keys) == ["Lem", "Butler"])
        #expect(try books["1"]?.value(forKey: "author") as? ManagedObject == authors["Lem"])
        #expect(try books["3"]?.value(forKey: "author") as? ManagedObject == authors["Lem"])
        #expect(try authors["Lem"]?.value(forKey: "born") as? Int16 == 1921)
        let tags = try books["1"]?.value(forKey: "tags") as? [ManagedObject] ?? []
        #expect(Set(try tags.map { try $0.value(forKey: "label") as? String }) == ["sea", "mind"])
    }

    @Test(arguments: StoreKind.allCases)
    func theSecondRunWritesNothing(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let context = container.viewContext
        _ = try context.importJSON(Self.feed)
        var trips: [RoundTrip] = []
        let report = try context.faulting(.reported { trips.append($0) }) {
            try context.importJSON(Self.feed)
        }
        #expect(!trips.contains { $0.reason == .save })
        #expect(report.inserted == 0 && report.updated == 0 && report.unchanged == 7)
        // Nor does the first run of another context.
        let other = container.otherContext()
        #expect(try other.importJSON(Self.feed).unchanged == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func onlyPropertiesOfTheDocumentAreWritten(kind: StoreKind) throws {
        let context = try kind.container(ImportModel.model).viewContext
        _ = try context.importJSON(Self.feed)
        let report = try context.importJSON(
            #"[{"isbn": "1", "pages": 205}, {"isbn": "2", "author": null}, {"isbn": "4"}]"#)
        #expect(report.entities["Book"] == .init(inserted: 1, updated: 2, unchanged: 0))
        let books = try context.objects("Book", by: "isbn")
        #expect(try books["1"]?.value(forKey: "title") as? String == "Solaris")
        #expect(try books["1"]?.value(forKey: "pages") as? Int32 == 205)
        #expect(try books["1"]?.value(forKey: "author") != nil)
        #expect(try books["2"]?.value(forKey: "author") == nil)
        #expect(try books["4"]?.value(forKey: "title") as? String == "untitled")
    }

    @Test(arguments: StoreKind.allCases)
    func missingPropertiesBecomeNilWhereThatIsAsked(kind: StoreKind) throws {
        let context = try kind.container(ImportModel.model).viewContext
        _ = try context.importJSON(Self.feed)
        _ = try context.importJSON(#"[{"isbn": "1", "title": "S"}]"#) { $0.missing = .setNil }
        let book = try context.objects("Book", by: "isbn")["1"]
        #expect(try book?.value(forKey: "pages") == nil)
        #expect(try book?.value(forKey: "author") == nil)
        #expect(try (book?.value(forKey: "tags") as? [ManagedObject])?.isEmpty == true)
        #expect(try book?.value(forKey: "title") as? String == "S")
    }

    @Test(arguments: StoreKind.allCases)
    func oneKeyIsOneObjectHoweverOftenItComes(kind: StoreKind) throws {
        let context = try kind.container(ImportModel.model).viewContext
        let report = try context.importJSON(
            """
            [{"isbn": "1", "title": "a", "tags": ["x"]}, {"isbn": "1", "pages": 7, "tags": ["y"]},
             {"isbn": "1", "title": "b"}]
            """)
        #expect(report.entities["Book"]?.inserted == 1 && report.elementCount == 3)
        let book = try context.objects("Book", by: "isbn")["1"]
        #expect(try book?.value(forKey: "title") as? String == "b")
        #expect(try book?.value(forKey: "pages") as? Int32 == 7)
        #expect(try (book?.value(forKey: "tags") as? [ManagedObject])?.count == 2)
        // Also in chunks of their own.
        var options = ImportOptions()
        options.chunkSize = 1
        _ = try context.importJSON(
            #"[{"isbn": "2", "title": "a"}, {"isbn": "2", "pages": 8}]"#, options: options)
        let books = try context.objects("Book", by: "isbn")
        #expect(books.count == 2)
        #expect(try books["2"]?.value(forKey: "pages") as? Int32 == 8)
    }

    @Test(arguments: StoreKind.allCases)
    func anOrderedToManyKeepsTheOrder(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let context = container.viewContext
        func isbns() throws -> [String?] {
            let other = container.otherContext()
            let shelf = try other.objects("Shelf", by: "name")["s"]
            return try (shelf?.value(forKey: "books") as? [ManagedObject] ?? []).map {
                try $0.value(forKey: "isbn") as? String
            }
        }
        _ = try context.importJSON(
            #"[{"name": "s", "books": ["3", "1", "2", "1"]}]"#, into: "Shelf")
        #expect(try isbns() == ["3", "1", "2"])
        _ = try context.importJSON(#"[{"name": "s", "books": ["2", "3"]}]"#, into: "Shelf")
        #expect(try isbns() == ["2", "3"])
        let report = try context.importJSON(
            #"[{"name": "s", "books": ["9", "3"]}]"#, into: "Shelf"
        ) { $0.toMany = .union }
        #expect(try isbns() == ["2", "3", "9"] && report.entities["Shelf"]?.updated == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func valuesOfAllTypesKeepTheirDigits(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let report = try container.viewContext.importJSON(
            """
            [{"isbn": "\\u00e9\\ud83d\\ude00", "large": 9223372036854775807, "rating": 1e-3,
              "price": 0.10000000000000000555111512312578270, "isRead": true, "pages": 5.0,
              "published": "2026-11-28T09:30:00.25+01:00", "cover": "AAEC", "site": "https://a.b/c",
              "token": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "format": {"height": 2.5}},
             {"isbn": "2", "price": "12345678901234567890.5", "isRead": 0, "published": "1969-07-20",
              "format": null}]
            """)
        #expect(report.failures == [])
        let reader = container.otherContext()
        let books = try reader.objects("Book", by: "isbn")
        let book = try #require(books["é😀"])
        #expect(try book.value(forKey: "large") as? Int64 == .max)
        #expect(try book.value(forKey: "rating") as? Double == 0.001)
        #expect(try book.value(forKey: "pages") as? Int32 == 5)
        let digits = Decimal(string: "0.1000000000000000055511151231257827")
        #expect(try book.value(forKey: "price") as? Decimal == digits)
        #expect(
            try book.value(forKey: "published") as? Date
                == Date(timeIntervalSince1970: 1_795_854_600.25))
        #expect(try book.value(forKey: "cover") as? Data == Data([0, 1, 2]))
        #expect(try book.storedValue(forKey: "site") == .uri("https://a.b/c"))
        #expect(
            try book.value(forKey: "token") as? UUID
                == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try book.value(forKey: "format.height") as? Double == 2.5)
        let other = try #require(books["2"])
        #expect(
            try other.value(forKey: "price") as? Decimal
                == Decimal(string: "12345678901234567890.5"))
        #expect(try other.value(forKey: "isRead") as? Bool == false)
        #expect(
            try other.value(forKey: "published") as? Date
                == Date(timeIntervalSince1970: -14_256_000))
    }

    @Test func keysArePointersNamesAndHints() throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let report = try context.importJSON(
            """
            {"meta": {"data": [0, [{"id": "1", "headline": "H", "a": {"b~/": [{"pp": 3}, 4.5]},
              "when": 1500, "by": "Lem"}]]}}
            """, at: "/meta/data/1"
        ) {
            $0.rename("id", to: "isbn")
            $0.rename("/a/b~0~1/0/pp", to: "pages")
            $0.rename("/a/b~0~1/1", to: "rating")
            $0.rename("when", to: "published")
            $0.rename("by", to: "author")
            $0.date(.millisecondsSince1970)
        }
        #expect(report.failures == [])
        let book = try #require(try context.objects("Book", by: "isbn")["1"])
        #expect(try book.value(forKey: "heading") as? String == "H")
        #expect(try book.value(forKey: "pages") as? Int32 == 3)
        #expect(try book.value(forKey: "rating") as? Double == 4.5)
        #expect(try book.value(forKey: "published") as? Date == Date(timeIntervalSince1970: 1.5))
        #expect(try book.value(forKey: "author") != nil)
    }

    @Test func aClassIsMappedByItsKeyPaths() throws {
        let context = try StoreKind.memory.container().viewContext
        let json = #"[{"id": "q1", "mag": 4.5, "in": "Chile"}, {"id": "q2", "in": "Chile"}]"#
        let report = try context.import(from: .json(Data(json.utf8)), into: Quake.self) {
            $0.match(\.code)
            $0.rename("id", to: \.code)
            $0.rename("mag", to: \.magnitude)
            $0.rename("in", to: \.region)
            $0.relationship(\.region) { $0.match(\.name) }
        }
        #expect(report.entities["Quake"]?.inserted == 2 && report.entities["Region"]?.inserted == 1)
        let quakes = try context.fetch(FetchRequest<Quake>().sorted(by: \.code))
        #expect(quakes.map(\.magnitude) == [4.5, 0])
        #expect(quakes.map(\.region?.name) == ["Chile", "Chile"])
    }

    @Test func feedsAreFilesLinesAndValues() throws {
        struct Row: Encodable, Sendable {
            var isbn: String
            var published: Date?
            var price: Decimal
        }
        let folder = ScratchFolder.newPath("feeds")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let rows = (0..<3_000).map { number in
            Row(
                isbn: "\(number)" + String(repeating: "é", count: number % 200),
                published: Date(timeIntervalSinceReferenceDate: Double(number) + 0.1),
                price: Decimal(number) / 7)
        }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let files = [
            ("a.jsonl", "\u{FEFF}" + lines.joined(separator: "\n")),
            ("b.jsonl", lines.joined(separator: "\r\n\r\n") + "\n"),
            (
                "c.json",
                "\u{FEFF}{\"n\": \"]\", \"d\":[" + lines.joined(separator: ",\n ") + "], \"x\": 1}"
            ),
        ]
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let context = try StoreKind.memory.container(ImportModel.model).viewContext
            let report = try context.importFeed(
                .file(path, at: name == "c.json" ? "/d" : "")
            ) { $0.date(.secondsSince1970) }
            #expect(report.failures == [] && report.inserted == 3_000, "\(name)")
        }
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let report = try context.importFeed(.values(rows))
        #expect(report.failures == [] && report.inserted == 3_000)
        let books = try context.objects("Book", by: "isbn")
        for row in rows {
            #expect(try books[row.isbn]?.value(forKey: "published") as? Date == row.published)
            #expect(try books[row.isbn]?.value(forKey: "price") as? Decimal == row.price)
        }
    }
}
