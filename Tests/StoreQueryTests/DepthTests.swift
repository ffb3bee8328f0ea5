import DuramenModel
import DuramenQuery
import StoreTestSupport
import Testing

/// Engines read statements with parsers of their own limits; no predicate within ours may come to
/// them.
@Suite struct DepthTests {
    private static let forms: [(String, @Sendable (String) -> String)] = [
        ("negations", { "NOT (\($0))" }), ("chains", { "(alphaNumber == 1 OR (\($0)))" }),
        ("quantifiers", { "ANY alphaMany (alphaNumber != 1 AND \($0))" }),
        ("opposite quantifiers", { "NONE betaMany (ALL alphaMany (\($0)))" }),
        ("conditions", { "TERNARY(\($0), alphaNumber, 2) == 2" }),
        ("subqueries", { "SUBQUERY(alphaMany, $x, $x.alphaNumber > 1 AND \($0)).@count > 1" }),
    ]

    @Test(arguments: forms.indices)
    func predicatesOfAnyDepthAreAnsweredAlikeByEveryStore(_ form: Int) throws {
        let folder = TemporaryFolder()
        let things = try Things.inAllStores(folder)
        var text = "betaText == 'b'"
        for depth in 1...24 {
            text = Self.forms[form].1(text)
            // Each level over a to-many multiplies the objects that are looked at.
            if depth > 5, form > 1, form != 4 { continue }
            let predicate = try FetchPredicate(text)
            let answers = try things.map { try $0.answer(predicate) }
            #expect(Set(answers).count == 1, "\(Self.forms[form].0), \(depth) deep")
        }
    }

    @Test func functionsOfAnyDepthAreAnsweredAlikeByEveryStore() throws {
        let folder = TemporaryFolder()
        let things = try Things.inAllStores(folder)
        for wrap in [
            { "abs(\($0))" }, { "(\($0) + 1)" }, { "(2 - (\($0) * 1))" }, { "max(1, \($0))" },
            { "sum(1, alphaNumber, \($0))" },
        ] as [(String) -> String] {
            var text = "alphaNumber"
            for depth in 1...60 {
                text = wrap(text)
                if depth % 4 != 0 { continue }
                let predicate = try FetchPredicate(text + " > 1")
                #expect(try Set(things.map { try $0.answer(predicate) }).count == 1, "\(depth)")
            }
        }
    }
}
