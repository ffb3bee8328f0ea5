import DocumentationSupport
import Duramen
import DuramenMacros
import DuramenMemory
import Foundation
import Testing

/// The model of the reference.
enum PredicateReferenceModel {
    @Managed
    final class Quake: ManagedObject {
        var magnitude: Double?
        var depth: Double?
        var reports: Int?
        var isFelt: Bool?
        var code: String?
        var note: String?
        var time: Date?
        var damage: Decimal?
        @Relationship var region: Region?
        @Relationship(inverse: \Tag.quakes) var tags: ToMany<Tag>
    }

    @Managed
    final class Region: ManagedObject {
        var name: String?
        @Relationship(inverse: \Quake.region) var quakes: ToMany<Quake>
    }

    @Managed
    final class Tag: ManagedObject {
        var name: String?
        @Relationship var quakes: ToMany<Quake>
    }

    static let model = Result { try ManagedObjectModel(Quake.self, Region.self, Tag.self) }
}

/// What the reference says beside its tables, whose rows other tests compare.
@MainActor struct PredicateReferenceTests {
    private typealias Quake = PredicateReferenceModel.Quake

    private func article() throws -> Article { try Article.named("PredicateReference") }

    @Test func bothFormsMakeOneTree() throws {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }
        // snippet: reference.forms
        let typed = FetchPredicate(Quake.self) {
            $0.magnitude >= 6 && $0.tags.any { $0.name == "felt" }
        }
        let read = try FetchPredicate("magnitude >= 6.0 AND ANY tags (name == 'felt')")
        print(typed == read)
        print(typed)
        print(typed.shape)
        // end
        #expect(try lines.joined(separator: "\n") == article().output("reference.forms"))
        #expect(try FetchPredicate("\(typed)") == typed)
        let data = try JSONEncoder().encode(typed)
        #expect(try JSONDecoder().decode(FetchPredicate.self, from: data) == typed)
    }

    @Test func aPredicateNeedsNoStore() throws {
        // snippet: reference.evaluate
        let predicate = try FetchPredicate("magnitude >= 6 AND code BEGINSWITH 'us'")
        let isStrong = try predicate.evaluate(
            with: .dictionary(["magnitude": .value(.double(6.4)), "code": .value(.text("us7000"))]))
        // end
        #expect(isStrong)
        #expect(try !predicate.evaluate(with: .dictionary(["magnitude": .value(.double(7))])))
    }

    @Test func everyPartOfTheLanguageIsNamed() throws {
        let text = try article().text
        let names =
            FetchFunction.allCases.map(\.rawValue).filter {
                !["union", "intersect", "minus"].contains($0)
            }
            + FetchCast.allCases.map(\.rawValue)
            + FetchSortDescriptor.Comparison.allCases.map { ".\($0.rawValue)" }
            + [
                "UNION", "INTERSECT", "MINUS", "[FIRST]", "[LAST]", "[SIZE]", "ANY", "SOME", "ALL",
                "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "TERNARY", "CAST",
                "FUNCTION", "ANYKEY", "SELF", "FETCH", "BETWEEN", "BEGINSWITH", "ENDSWITH",
                "CONTAINS", "LIKE", "MATCHES", "@avg", "@distinctUnionOfObjects",
                "@unionOfObjects", "NULL", "NIL", "YES", "CASEINSENSITIVE", "CI",
            ]
        for name in names { #expect(text.contains(name), "\(name)") }
    }

    /// Spellings of the grammar that the article shows, and what they mean.
    @Test(arguments: [
        ("reports == 0x1F", "reports == 31"), ("reports == 0o17", "reports == 15"),
        ("reports == 0b101", "reports == 5"), ("magnitude == 9.2e-5", "magnitude == 0.000092"),
        (#"code == 'a\x41\101\u00e9'"#, "code == 'aAAé'"),
        ("SOME tags.name == 'a'", "ANY tags.name == 'a'"),
        ("code NOT IN {'a'}", "NOT code IN {'a'}"), ("magnitude =< 3.0", "magnitude <= 3.0"),
        ("magnitude => 3.0 && reports <> 1", "magnitude >= 3.0 AND reports != 1"),
        ("region.quakes.reports.@sum > 3", "region.quakes.@sum.reports > 3"),
        ("tags.name.@unionOfObjects CONTAINS 'a'", "(tags.name) CONTAINS 'a'"),
        ("FUNCTION(reports, 'add:to:', 1) == 2", "reports + 1 == 2"),
        ("uppercaseString(code) == 'A'", "uppercase:(code) == 'A'"),
        ("avg(region.quakes.reports) > 1", "average(region.quakes.reports) > 1"),
        (
            "code == 'a' OR code == 'b' AND note == 'c'",
            "code == 'a' OR (code == 'b' AND note == 'c')"
        ),
        ("magnitude ** 2.0 ** 3.0 > 1.0", "(magnitude ** 2.0) ** 3.0 > 1.0"),
        ("-magnitude ** 2.0 > 1.0", "(-magnitude) ** 2.0 > 1.0"),
        ("reports & 3 << 1 == 2", "reports & (3 << 1) == 2"), ("#size == 1", "%K == 1"),
        ("CAST('0.1', 'Decimal' ) == damage", ""),
        ("CAST(code, 'Number') > 1", "CAST(code, 'NSNumber') > 1"),
        ("region.quakes.@max.#self == SELF", "max(region.quakes) == SELF"),
    ])
    func theGrammarIsAsShown(one: String, other: String) throws {
        if other.isEmpty {
            #expect(throws: PredicateFormatError.self) { try FetchPredicate(one) }
        } else if other.contains("%K") {
            #expect(try FetchPredicate(one) == FetchPredicate(other, "size"))
        } else {
            #expect(try FetchPredicate(one) == FetchPredicate(other), "\(one)")
        }
    }

    @Test(arguments: [
        "isFelt", "code == '%@", "code == %%", "code ==[x] 'a'", "size == 1", "code IN ('a', 'b')",
        "code IN ['a']", "isKindOfClass:(SELF, 'Quake') == YES", "FETCH(a, b, c) == 1",
        "tags.@total > 1", "code == ?", "first(tags) == SELF",
        "CAST('abc', 'NSNumber') == 1", "1 < reports < 3",
    ])
    func otherThingsAreRefused(format: String) {
        #expect(throws: PredicateFormatError.self) { try FetchPredicate(format) }
    }

    @Test func placeholdersTakeTheirArguments() throws {
        #expect(
            try FetchPredicate("code == %s AND reports == %ld AND magnitude == %f", "a", 3, 2.5)
                == FetchPredicate("code == 'a' AND reports == 3 AND magnitude == 2.5"))
        #expect(
            try FetchPredicate("magnitude BETWEEN %@ AND code IN %@", 1.0...2.0, ["a", "b"])
                == FetchPredicate("magnitude BETWEEN {1.0, 2.0} AND code IN {'a', 'b'}"))
        #expect(throws: PredicateFormatError.self) { try FetchPredicate("reports == %d", "x") }
    }

    @Test func conditionsThatDoNotFitAreRefusedWhenUsed() throws {
        let context = try PersistentContainer.open(
            model: PredicateReferenceModel.model.get(), stores: [.memory()]
        ).viewContext
        for (format, detail) in [
            ("colour == 1", "unknownProperty"), ("code == 1", "typeMismatch"),
            ("tags.name == 'a'", "invalidKeyPath"), ("code == $CODE", "missingVariable"),
            ("code MATCHES '('", "invalidPattern"), ("region < region", "typeMismatch"),
            ("tags[0] == SELF", "typeMismatch"),
        ] {
            let request = FetchRequest<Quake>().where(try FetchPredicate(format))
            let error = #expect(throws: StoreError.self) { try context.fetch(request) }
            #expect(error?.code == .invalidRequest && error?.detail == detail, "\(format)")
        }
        // Nothing compares with nil by order, and an empty to-many has no members.
        let quake = Quake(context: context)
        quake.code = "us7000x"
        func holds(_ format: String) throws -> Bool {
            try context.fetch(FetchRequest<Quake>().where(try FetchPredicate(format))) == [quake]
        }
        for format in [
            "note != 'a'", "NOT (depth > 3)", "region.name == nil", "depth / 0.0 == nil",
            "sqrt(-1) == nil", "tags == nil", "region.quakes == nil", "NOT ANY tags.name == 'a'",
            "ALL tags.name == 'a'", "NONE tags.name == 'a'",

            "'text' CONTAINS ''", "'x' IN 'text'", "CAST(code, 'NSNumber') == nil",
            "isFelt + 1 == nil", "depth + 1 == nil", "NOT note == ''", "length(code) == 7",
            "code ==[cl] 'A' OR code == 'us7000x'", "code LIKE 'us*'", "3 / 2 == 1", "note == nil",
        ] {
            #expect(try holds(format), "\(format)")
        }
        for format in ["depth <= 3", "note CONTAINS ''", "note IN {'a'}", "depth BETWEEN {1, 2}"] {
            #expect(try !holds(format), "\(format)")
        }
    }
}
