import DuramenModel
import DuramenSQLite
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// The caches of Core Data's stores, beside those that this library writes for the same models.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct ModelCachePatternTests {
        let folder = TemporaryFolder()

        @Test("A cache says what Core Data's says of the same model, but for what is listed")
        func cachesAreAlike() throws {
            var unused = Set(Difference.listed.indices)
            var count = 0
            for pair in Self.pairs {
                let path = try Corpus.copy(pair.store, to: folder)
                guard let content = try Self.content(of: path) else { continue }
                count += 1
                let model = try CorpusModels.transformableModel(of: pair.document(forCopy: path))
                let apple = try CacheOutline(packed: content).lines
                let own = try CacheOutline(packed: ModelCacheWriter.packed(model)).lines
                #expect(apple.intersection(own).count > 20, "\(pair.store)")
                let differences =
                    apple.subtracting(own).map { "- " + $0 }
                    + own.subtracting(apple).map { "+ " + $0 }
                print("\(pair.store): \(differences.count) differences")
                for line in differences.sorted() {
                    let places = Difference.places(of: line, in: pair.store)
                    if places.isEmpty { Issue.record("\(pair.store): \(line)") }
                    unused.subtract(places)
                }
            }
            #expect(count == 17)
            // What is listed and does not occur is no longer true.
            #expect(unused.sorted() == [])
        }

        @Test("Rules, derivations and fetched properties have the forms of Core Data's")
        func predicatesAreAlike() throws {
            let name = "/SampleModel2_V2.sqlite"
            let store = try #require(Corpus.stores.first { $0.hasSuffix(name) })
            let path = try Corpus.copy(store, to: folder)
            let apple = try CacheOutline(packed: #require(try Self.content(of: path)))
            let own = try CacheOutline(packed: ModelCacheWriter.packed(Self.sampleModel)).lines
            let prefixes = ["Author.feedbacks ", "Book.pagesCount ", "Book.title ", "NS", "class "]
            let forms = own.filter { line in prefixes.contains { line.hasPrefix($0) } }
            #expect(forms.subtracting(apple.lines).sorted() == [])
            let classes = apple.lines.filter { line in
                line.hasPrefix("class NS")
                    && ["Predicate", "Expression", "Fetch", "Sort", "Derived"].contains {
                        line.contains($0)
                    }
            }
            #expect(classes.subtracting(own).sorted() == [])
        }

        /// A part of the model of that store, which is made in code there.
        private static let sampleModel: ManagedObjectModel = {
            var author = EntityDescription(
                name: "Author", attributes: [AttributeDescription("alias", .string)])
            author.fetchedProperties = [
                FetchedPropertyDescription(
                    "feedbacks", destination: "Feedback",
                    predicateFormat: "authorAlias == $FETCH_SOURCE.alias",
                    sortKeys: [.init("rating")])
            ]
            return testModel([
                author,
                EntityDescription(
                    name: "Feedback",
                    attributes: [
                        AttributeDescription("authorAlias", .string),
                        AttributeDescription("rating", .double),
                    ]),
                EntityDescription(
                    name: "Book",
                    attributes: [
                        AttributeDescription("title", .string)
                            .validated(by: "length >= 3 AND length <= 50", warning: "too long")
                            .validated(by: "SELF CONTAINS 'title'"),
                        AttributeDescription("pagesCount", .integer64, isOptional: true)
                            .derived(from: "pages.@count"),
                    ],
                    relationships: [.toMany("pages", destination: "Page", inverse: "book")]),
                EntityDescription(
                    name: "Page",
                    relationships: [.toOne("book", destination: "Book", inverse: "pages")]),
            ])
        }()

        /// The stores with their models.
        private static let pairs = PairedStoreTests.pairs.map { pair in
            // The list names the version after it first.
            pair.store.hasSuffix("/Bookmarks_V1.sqlite")
                ? StorePair(store: pair.store, version: "BookmarksModel.xcdatamodel") : pair
        }

        private static func content(of path: String) throws -> [UInt8]? {
            let tables = try RawDatabase.texts(
                path, "SELECT name FROM sqlite_master WHERE name = 'Z_MODELCACHE'")
            if tables.isEmpty { return nil }
            let text = try RawDatabase.texts(path, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")[0]
            let digits = Array(text.utf8).map { $0 < 58 ? $0 - 48 : $0 - 55 }
            return stride(from: 0, to: digits.count, by: 2).map {
                digits[$0] << 4 | digits[$0 + 1]
            }
        }
    }
}

/// A difference between caches that is meant.
private struct Difference {
    /// A part of the store's path.
    let store: String
    /// `-` and what only Core Data's cache says, or `+` and what only ours says.
    let line: Regex<AnyRegexOutput>

    init<Output>(_ store: String, _ line: Regex<Output>) {
        self.store = store
        self.line = Regex<AnyRegexOutput>(line)
    }

    /// The places in the list at which a difference is explained.
    static func places(of line: String, in store: String) -> [Int] {
        listed.indices.filter { place in
            store.contains(listed[place].store)
                && line.wholeMatch(of: listed[place].line) != nil
        }
    }

    static var listed: [Difference] {
        [
            // A model file without an identifier has an empty one in the compiled model. The reader
            // of such files gives none.
            Difference("/", /- model is ''/),
            // For an ascending index over one attribute the compiler adds one that is named like
            // the attribute. A model that is read back would gain it.
            Difference("/", /- \w+ has the index (?<name>\w+) of \k<name> NSAscending=true \S+/),
            // A mandatory to-one without a minimum has 0 there; models here keep no minimum of
            // to-ones.
            Difference("SampleStore2.1", /[-+] \w+\.\w+ NSMinCount=[01]/),
            // A migration wrote these caches: it adds empty lists of indexes, and keeps texts that
            // can be changed and Booleans that are numbers.
            Difference("SampleStore2.1", /[-+] \w+ has NSClassNameForEntity .*/),
            Difference("Tests/SampleModelV2", /[-+] \w+ has NSClassNameForEntity .*/),
            Difference("SampleStore2.1", /- class NSMutableString < NSString < NSObject/),
            Difference("SampleStore2.1", /[-+] \w+\.(impactsAdherence|isAllDay) is at first .*/),
            // The stores are older than these defaults, this class and this identifier in the
            // files.
            Difference("SampleStore2.0", /[-+] \w+\.\w+ is at first .*/),
            Difference("SampleModel_V1", /[-+] \w+\.color NSAttributeValueClassName=\w+/),
            Difference("Moody.moody", /\+ model is '1'/),
            // Systems of 2015 had no fetch indexes, only attributes that are indexed and compound
            // indexes.
            Difference(".moody", /[-+] \w+ has NSClassNameForEntity .*/),
            Difference(".moody", /\+ \w+ has the index by_.*/),
            Difference(".moody", /\+ (class )?NSFetchIndex.*/),
        ]
    }
}
