import Duramen
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@MainActor struct ImportFailureTests {
    @Test(arguments: StoreKind.allCases)
    func aBadElementIsReportedAndTheRestGoesOn(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let report = try container.viewContext.importJSON(
            """
            {"rows": [{"isbn": "1"}, {"isbn": "2", "pages": "many"}, 17, {"title": "no key"},
              {"isbn": "3", "author": {"name": "A", "born": 100000}}, {"isbn": "4", "tags": ["a", [1]]},
              {"isbn": "5", "format": {"height": true}}, {"isbn": "6", "published": "yesterday"},
              {"isbn": "7", "tags": "no array"}, {"isbn": "8", "a/b~": 1}, {"isbn": "9", "x": tru},
              {"isbn": "10"}]}
            """, at: "/rows")
        #expect(report.elementCount == 12 && report.failureCount == 9)
        #expect(
            report.failures.map(\.pointer) == [
                "/rows/1/pages", "/rows/2", "/rows/3", "/rows/4/author/born", "/rows/5/tags/1",
                "/rows/6/format/height", "/rows/7/published", "/rows/8/tags", "/rows/10",
            ])
        for failure in report.failures { #expect(failure.reason.hasSuffix(".")) }
        let other = container.otherContext()
        let books = try other.objects("Book", by: "isbn")
        #expect(Set(books.keys) == ["1", "8", "10"])
        #expect(try container.otherContext().objects("Author", by: "name").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func nothingIsSavedWhereAFailureEndsTheImport(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let context = container.viewContext
        var options = ImportOptions()
        options.failureHandling = .fail
        options.chunkSize = 1
        let json = #"[{"isbn": "1"}, {"isbn": "2"}, {"isbn": "3", "pages": {}}]"#
        let error = try #require(throws: ImportError.self) {
            _ = try context.importJSON(json, options: options)
        }
        #expect(error.code == .refused && error.failure?.pointer == "/2/pages")
        #expect(error.position == ImportPosition() && !context.hasChanges)
        #expect(try container.otherContext().count(for: Self.books) == 0)
        let report = try context.importJSON(
            #"[{"isbn": "1"}, {"isbn": "2"}]"#, options: options)
        #expect(report.inserted == 2)
        #expect(try container.otherContext().count(for: Self.books) == 2)
    }

    private static let books = FetchRequest<ManagedObject>(entityName: "Book")

    @Test(arguments: StoreKind.allCases)
    func rulesAndConflictsRefuseTheirElementsAlone(kind: StoreKind) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription("key", .string),
                    AttributeDescription("count", .integer32, isOptional: true)
                        .validated(by: "SELF < 10", warning: "too many"),
                    AttributeDescription("name", .string),
                    AttributeDescription("serial", .integer64, isOptional: true),
                ],
                relationships: [
                    .toOne("parent", destination: "Item", inverse: "children"),
                    .toMany("children", destination: "Item", inverse: "parent"),
                ], uniquenessConstraints: [["key"], ["serial"]])
        ])
        let container = try kind.container(model)
        let context = container.viewContext
        let report = try context.importJSON(
            """
            [{"key": "1", "name": "a", "serial": 5}, {"key": "2"}, {"key": "3", "name": "c", "count": 11},
             {"key": "4", "name": "d", "parent": "2"}, {"key": "5", "name": "e", "count": 9}]
            """, into: "Item")
        #expect(report.failures.map(\.pointer) == ["/1", "/2", "/3"])
        #expect(report.entities["Item"]?.inserted == 2 && !context.hasChanges)
        // The serial number is that of another object.
        let second = try context.importJSON(
            """
            [{"key": "5", "serial": 5}, {"key": "6", "name": "f", "serial": 6}, {"key": "1", "count": 12}]
            """, into: "Item")
        #expect(second.failures.map(\.pointer) == ["/0", "/2"])
        #expect(second.inserted == 1 && !context.hasChanges)
        let other = container.otherContext()
        let items = try other.objects("Item", by: "key")
        #expect(Set(items.keys) == ["1", "5", "6"])
        #expect(try items["5"]?.value(forKey: "serial") == nil)
        #expect(try items["1"]?.value(forKey: "count") == nil)
    }

    @Test(arguments: [
        ("", ""), ("", "{}"), ("", "[1"), ("", "[{},"), ("", "[{} {}]"), ("/a", "{\"a\": {}}"),
        ("/a", "{\"b\": []}"), ("/a/5", "{\"a\": []}"), ("/a", "17"), ("", "nonsense"),
        ("", "[\"a"),
        ("/a", "{\"a\" []}"), ("/a", "{3: []}"),
    ])
    func aFeedThatIsNotAnArrayIsRefused(pointer: String, json: String) throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let error = #expect(throws: ImportError.self) {
            _ = try context.importJSON(json, at: pointer)
        }
        #expect(error?.code == .malformed, "\(json)")
    }

    @Test func aMappingThatCannotBeIsRefused() throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let mappings: [(inout ImportMapping<ManagedObject>) -> Void] = [
            { $0.match(["nothing"]) }, { $0.match(["author"]) }, { $0.rename("a", to: "ttle") },
            { $0.rename("title", to: "heading") }, { $0.rename("", to: "title") },
            {
                $0.rename("a", to: "title")
                $0.rename("/a/b", to: "heading")
            },
        ]
        for mapping in mappings {
            let error = #expect(throws: ImportError.self) {
                _ = try context.importJSON("[{}]", mapping)
            }
            #expect(error?.code == .invalidMapping)
        }
        let error = #expect(throws: ImportError.self) {
            _ = try context.importFeed(.json(Data("[]".utf8), at: "rows"))
        }
        #expect(error?.code == .invalidMapping)
        let missing = #expect(throws: ImportError.self) {
            _ = try context.importFeed(.file("/nowhere/feed.json"))
        }
        #expect(missing?.code == .unreadable)
    }

    @Test func aContextWithChangesIsLeftAlone() throws {
        let context = try StoreKind.memory.container(ImportModel.model).viewContext
        let book = context.insert("Book", ["isbn": "1"])
        let error = #expect(throws: ImportError.self) { _ = try context.importJSON("[]") }
        #expect(error?.code == .unsavedChanges && book.isInserted)
    }

    @Test(arguments: StoreKind.allCases)
    func severalObjectsOfAKeyAreRefused(kind: StoreKind) throws {
        let context = try kind.container(ImportModel.model).viewContext
        for _ in 0..<2 { _ = context.insert("Book", ["title": "same"]) }
        try context.save()
        let report = try context.importJSON(#"[{"title": "same", "pages": 3}, {"title": "other"}]"#)
        {
            $0.match(["title"])
        }
        #expect(report.failures.map(\.pointer) == ["/0"] && report.inserted == 1)
        // In chunks of their own, too.
        var options = ImportOptions()
        options.chunkSize = 1
        let json = #"[{"title": "same", "pages": 3}, {"title": "same", "pages": 4}]"#
        let second = try context.importJSON(json, options: options) { $0.match(["title"]) }
        #expect(second.failures.map(\.pointer) == ["/0", "/1"] && second.updated == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func nothingOfARefusedElementIsWritten(kind: StoreKind) throws {
        let container = try kind.container(ImportModel.model)
        let context = container.viewContext
        for _ in 0..<2 { _ = context.insert("Tag", ["label": "twice"]) }
        try context.save()
        let report = try context.importJSON(
            """
            [{"isbn": "1", "title": "refused", "tags": ["twice"]},
             {"isbn": "1", "pages": 3, "tags": ["good"]},
             {"isbn": "1", "rating": 5, "pages": 4, "tags": ["bad", "twice"]}]
            """)
        #expect(report.failures.map(\.pointer) == ["/0", "/2"] && report.inserted == 2)
        let other = container.otherContext()
        let book = try #require(try other.objects("Book", by: "isbn")["1"])
        #expect(try book.value(forKey: "title") as? String == "untitled")
        #expect(try book.value(forKey: "pages") as? Int32 == 3)
        #expect(try book.value(forKey: "rating") == nil)
        #expect(try (book.value(forKey: "tags") as? [ManagedObject])?.count == 1)
    }

    /// Whatever the bytes are, the import ends with a report or an error.
    @Test func damagedFeedsNeverTrap() throws {
        let feed =
            Array(
                #"[{"isbn":"1","title":"\u00e9\ud83d\ude00","pages":3,"tags":["a","b"],"author":{"name":"x"},"#
                    .utf8)
            + Array(
                #""format":{"height":1e5},"published":"2026-11-28T09:30:00Z"},{"isbn":"2"}]"#.utf8)
        for seed in longWorkloadSeeds(200) {
            var generator = SplitMix64(seed: seed)
            let context = try StoreKind.memory.container(ImportModel.model).viewContext
            var bytes = feed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(feed.randomElement(using: &generator) ?? 0, at: index)
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do {
                let report = try context.importFeed(.json(Data(bytes)))
                #expect(report.elementCount >= report.failureCount, "DURAMEN_SEED=\(seed)")
                #expect(!context.hasChanges, "DURAMEN_SEED=\(seed)")
                _ = try context.importFeed(.jsonLines(Data(bytes)))
            } catch let error as ImportError {
                #expect(error.code == .malformed, "DURAMEN_SEED=\(seed)")
            }
        }
    }
}
