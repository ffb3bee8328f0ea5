import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Paths and lists of any length, asked of every store.
@Suite struct LongInputTests {
    private static let step = "alphaOne"

    private func code(_ work: () throws -> Void) -> String? {
        do {
            try work()
            return nil
        } catch let error as FetchPredicateError {
            return error.code.rawValue
        } catch let error as StoreError {
            // So an execution says what is wrong with a predicate.
            return error.message.contains("more than 128") ? "tooComplex" : error.code.rawValue
        } catch { return "\(error)" }
    }

    /// Every entrance that takes a path, by its name.
    private func entrances(
        _ things: Things, _ path: String
    ) -> [(String, () throws -> Void)] {
        let store = things.driver.store
        let names = path.split(separator: ".").map(String.init)
        let entity = Things.thing.id
        func run(_ query: StoreQuery) throws {
            _ = try QueryExecution(query, on: store, in: store.snapshot()).rows()
        }
        func make(_ query: ResultQuery) throws {
            _ = try ResultExecution([(query, store, store.snapshot())]).results()
        }
        let number = FetchPredicate.keyPath(path + ".alphaNumber", .equal, 1)
        return [
            (
                "an order",
                {
                    try run(
                        StoreQuery(entity: entity, sortDescriptors: [.init(path + ".alphaNumber")]))
                }
            ),
            ("a condition", { try run(StoreQuery(entity: entity, predicate: number)) }),
            ("a negation", { try run(StoreQuery(entity: entity, predicate: .not(number))) }),
            ("a column", { try make(ResultQuery(entity: entity, columns: [ResultColumn(path)])) }),
            (
                "groups",
                {
                    try make(
                        ResultQuery(
                            entity: entity,
                            columns: [ResultColumn("n", .function(.count, [.selfObject]))],
                            groupBy: [names]))
                }
            ),
            (
                "a quantifier",
                {
                    try run(
                        StoreQuery(
                            entity: entity,
                            predicate: .quantified(
                                .any, keyPath: names + ["alphaMany"], .constant(true))))
                }
            ),
            (
                "an order that a store is given",
                {
                    _ = store.pushdown(
                        for: StoreQuery(entity: entity, sortDescriptors: [.init(path)]))
                }
            ),
            (
                "a condition that a store is given",
                { _ = store.pushdown(for: StoreQuery(entity: entity, predicate: number)) }
            ),
        ]
    }

    @Test func aPathOfAnyLengthIsAnsweredAlikeOrRefusedByEveryStore() throws {
        let folder = TemporaryFolder()
        let things = try Things.inAllStores(folder)
        var random = SplitMix64(seed: randomSeed())
        var lengths = [1, 3, 127, 128, 3_000, 100_000]
        lengths += (0..<repetitions(4)).map { _ in Int.random(in: 1...2_000, using: &random) }
        for length in lengths {
            let path = Array(repeating: Self.step, count: length).joined(separator: ".")
            let answers = things.map { thing in
                entrances(thing, path).map { name, work in "\(name): \(code(work) ?? "answered")" }
            }
            #expect(
                Set(answers).count == 1, "\(length) steps: \(Set(answers.flatMap { $0 }).sorted())")
            if length > 128 {
                #expect(
                    answers[0].prefix(6).allSatisfy { $0.hasSuffix("tooComplex") }, "\(answers[0])")
            }
        }
    }

    @Test func aPathOverManyToManysBecomesNoDeepCondition() throws {
        let folder = TemporaryFolder()
        for things in try Things.inAllStores(folder) {
            let store = things.driver.store
            let names = Array(repeating: "alphaMany", count: 127) + ["alphaNumber"]
            var predicate = FetchPredicate.comparison(
                PredicateComparison(
                    .keyPath(names), .equal, .constant(.integer(9)), quantifier: .any))
            for _ in 0..<100 { predicate = .quantified(.any, keyPath: ["alphaMany"], predicate) }
            // Each to-many is a level: as many are walked through, more are refused.
            _ = store.pushdown(for: things.driver.query("Thing", where: predicate))
            predicate = .quantified(.any, keyPath: Array(names.dropLast()), predicate)
            #expect(
                code {
                    _ = try QueryExecution(
                        things.driver.query("Thing", where: predicate), on: store,
                        in: store.snapshot()
                    ).objectIDs()
                } == "tooComplex")
        }
    }

    /// An engine joins so many tables and no more.
    @Test func manyShortPathsTogetherAreAnsweredAlike() throws {
        let folder = TemporaryFolder()
        let steps = ["alphaOne", "betaOne", "gammaOne", "deltaOne", "epsilonOne"]
        let paths = steps.flatMap { first in
            steps.flatMap { second in steps.map { "\(first).\(second).\($0).alphaNumber" } }
        }
        let things = try Things.inAllStores(folder)
        for count in [20, 59, 60, 61, 125] {
            let parts = paths.prefix(count).map { FetchPredicate.keyPath($0, .notEqual, 3) }
            for predicate in [
                FetchPredicate.and(parts), .or(parts.map { .not($0) }), .not(.and(parts)),
            ] {
                #expect(try Set(things.map { try $0.answer(predicate) }).count == 1, "\(count)")
            }
            let orders = try things.map { things in
                let query = StoreQuery(
                    entity: Things.thing.id, predicate: .and(Array(parts.prefix(5))),
                    sortDescriptors: paths.prefix(count).map { FetchSortDescriptor($0) })
                return try QueryExecution(
                    query, on: things.driver.store, in: things.driver.store.snapshot()
                ).objectIDs().map(\.key)
            }
            #expect(Set(orders).count == 1, "\(count) in an order")
        }
    }

    /// Looking a value up takes no walk through the list: with one, this would take minutes.
    @Test func listsOfOneHundredThousandValuesAreAnsweredAlike() throws {
        let folder = TemporaryFolder()
        var numbers = (0..<99_990).map { StoredValue.integer(Int64($0) + 10) }
        numbers += [.integer(1), .integer(2)]
        let mixed: [StoredValue] =
            (0..<99_998).map { .double(Double($0) + 10.5) } + [.integer(2), .decimal(1)]
        for things in try Things.inAllStores(folder) {
            let store = things.driver.store
            func keys(_ predicate: FetchPredicate) throws -> [Int64] {
                try QueryExecution(
                    things.driver.query("Thing", where: predicate), on: store, in: store.snapshot()
                ).objectIDs().map(\.key)
            }
            let expected = try keys(.keyPath("alphaNumber", .isIn, [1, 2] as [Int64]))
            #expect(try keys(.keyPath("alphaNumber", .isIn, numbers)) == expected)
            #expect(try keys(.keyPath("alphaNumber", .isIn, mixed)) == expected)
            #expect(
                try keys(
                    .comparison(
                        PredicateComparison(
                            .function(.abs, [.keyPath(["alphaNumber"])]), .isIn, .list(mixed))))
                    == expected)
            #expect(
                try keys(.not(.keyPath("alphaNumber", .isIn, mixed)))
                    == keys(.not(.keyPath("alphaNumber", .isIn, [1, 2] as [Int64]))))
            let ids = (0..<100_000).map { number in
                StoredValue.objectID(
                    ManagedObjectID(
                        store: store.handle, entity: Things.thing.handle, key: Int64(number) + 5))
            }
            #expect(
                try keys(.comparison(PredicateComparison(.selfObject, .isIn, .list(ids))))
                    == keys(
                        .comparison(
                            PredicateComparison(.selfObject, .isIn, .list(Array(ids.prefix(20)))))))
        }
    }
}
