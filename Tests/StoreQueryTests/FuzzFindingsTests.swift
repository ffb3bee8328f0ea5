import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// What the query fuzzer found, each mended since.
@Suite struct FuzzFindingsTests {
    /// Pairs of questions that mean the same.
    private static let pairs = [
        (
            "ALL alphaMany.betaNumber == 1",
            "ALL alphaMany.betaNumber == TERNARY(gammaFlag == YES, 1, 1)"
        ),
        (
            "NONE alphaMany.betaText == nil",
            "NONE alphaMany.betaText == TERNARY(gammaFlag == YES, nil, nil)"
        ),
        (
            "ANY alphaMany.betaOne.gammaText == nil",
            "ANY alphaMany.betaOne.gammaText == TERNARY(gammaFlag == YES, nil, nil)"
        ),
        (
            "SUBQUERY(alphaMany, $x, ANY $x.betaMany.gammaText == nil).@count == 2",
            "SUBQUERY(alphaMany, $x, SUBQUERY($x.betaMany, $y, $y.gammaText == nil).@count > 0)"
                + ".@count == 2"
        ),
    ]

    @Test func quantifiersAskNullsTooWhateverStandsOnTheRight() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            for (first, second) in Self.pairs {
                let expected = try things.answer(FetchPredicate(format: first, arguments: []))
                let found = try things.answer(FetchPredicate(format: second, arguments: []))
                #expect(found == expected, "\(second)")
                #expect(!expected.isEmpty && expected.count < 12, "\(first)")
            }
        }
    }

    @Test func anAggregateOfAConstantIsOneOfAsManyAsThereAreRows() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            var query = ResultQuery(
                entity: Things.thing.id,
                columns: [
                    try ResultColumn("number", "count(1)"), try ResultColumn("sum", "sum(0.5)"),
                    try ResultColumn("least", "min(nil)"),
                ])
            #expect(try things.results(query) == [[.integer(12), .double(6), .null]])
            query.having = try FetchPredicate("sum(2) > 24")
            #expect(try things.results(query) == [])
        }
    }

    @Test func anAggregateAsksForOneGroupWhereItIsNotReachedToo() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            for condition in ["1 == 2", "FALSEPREDICATE", "alphaMany.betaText CONTAINS nil"] {
                let query = ResultQuery(
                    entity: Things.thing.id,
                    columns: [try ResultColumn("value", "TERNARY(\(condition), max(1), 3)")])
                #expect(try things.results(query) == [[.integer(3)]], "\(condition)")
            }
        }
    }

    @Test func aTextInATextIsASearchWhateverTheOptions() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            for letter in "abcdeABCDE12" {
                let search = try FetchPredicate("betaText CONTAINS[c] '\(letter)'")
                let membership = try FetchPredicate("'\(letter)' IN[cls] betaText")
                #expect(try things.answer(membership) == things.answer(search), "\(letter)")
                let exact = try FetchPredicate("betaText CONTAINS '\(letter)'")
                let member = try FetchPredicate("'\(letter)' IN[ls] betaText")
                #expect(try things.answer(member) == things.answer(exact), "\(letter)")
            }
        }
    }

    @Test func aReferenceToAMissingObjectIsCounted() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            let driver = things.driver
            let ids = try (0..<3).map { _ in try driver.insert("Thing") }
            try driver.commit { draft in
                draft.relate("Thing.alphaMany", ids[0], ids[1])
                try draft.update(ids[1], ["betaOne": .objectID(ids[2])])
            }
            try driver.commit { try $0.delete(ids[2]) }
            let query = driver.query(
                "Thing",
                where: try FetchPredicate("SELF == %@ AND alphaMany.betaOne.@count == 1", ids[0]))
            let execution = try QueryExecution(query, on: driver.store, in: driver.store.snapshot())
            #expect(try execution.objectIDs() == [ids[0]])
        }
    }

    @Test func theMiddleOneOfTruthValuesIsOne() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            let query = ResultQuery(
                entity: Things.thing.id,
                columns: [
                    try ResultColumn("least", "min(alphaMany.betaFlag.@median)"),
                    try ResultColumn("most", "max(alphaMany.betaFlag.@median)"),
                ])
            let values = try things.results(query)[0]
            #expect(!values.contains { if case .integer = $0 { true } else { false } })
        }
    }

    @Test func negativeZeroIsWrittenAsZero() throws {
        let predicate = FetchPredicate.keyPath("alphaDouble", .equal, -0.0)
        #expect(predicate.description == "alphaDouble == 0.0")
        #expect(try FetchPredicate(predicate.description) == predicate)
    }
}

extension Things {
    /// The results of a query, which the slow evaluation confirms.
    fileprivate func results(_ query: ResultQuery) throws -> [[StoredValue]] {
        let plain = PlainEvaluation(contents: contents, model: driver.model).results(of: query)
        let found = try ResultExecution(query, on: driver.store, in: driver.store.snapshot())
            .results()
        #expect(found == plain)
        return found
    }
}
