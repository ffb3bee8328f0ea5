import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct TruthTableTests {
    typealias Operator = PredicateComparison.Operator

    private func check(
        _ predicate: FetchPredicate, _ expected: Bool, on values: [String: StoredValue],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var objects = Objects()
        let id = objects.add("Quake", 1, values)
        #expect(
            try objects.holds(predicate, id) == expected, "\(predicate)", sourceLocation: location)
        #expect(
            try objects.holds(!predicate, id) != expected, "NOT \(predicate)",
            sourceLocation: location)
    }

    @Test(arguments: [
        (StoredValue.null, [Operator.notEqual]),
        (.double(5), [.notEqual, .less, .lessOrEqual]),
        (.double(6), [.equal, .lessOrEqual, .greaterOrEqual]),
        (.double(7), [.notEqual, .greater, .greaterOrEqual]),
    ])
    func equalityAndOrderOfAnAttributeWithAValue(_ value: StoredValue, _ holding: [Operator]) throws
    {
        for relation in [
            Operator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ] {
            for constant in [StoredValue.double(6), .integer(6), .decimal(6)] {
                try check(
                    .keyPath("magnitude", relation, constant), holding.contains(relation),
                    on: ["magnitude": value])
            }
        }
    }

    @Test func comparisonsWithAConstantNull() throws {
        for relation in Operator.allCases where relation != .between && relation != .isIn {
            try check(.keyPath("note", relation, .null), relation == .equal, on: [:])
            try check(
                .keyPath("note", relation, .null), relation == .notEqual, on: ["note": .text("a")])
        }
        try check(.keyPath("note", .between, [.null, .text("z")]), false, on: ["note": .text("a")])
        try check(.keyPath("note", .between, [.text("a"), .null]), false, on: ["note": .text("a")])
    }

    @Test func aNullLeftSideIsInNothingAndBetweenNothing() throws {
        try check(.keyPath("note", .isIn, [.null, .text("a")]), false, on: [:])
        try check(.keyPath("reports", .isIn, [.null]), false, on: [:])
        try check(.keyPath("reports", .between, [.integer(0), .integer(9)]), false, on: [:])
        try check(.keyPath("note", .isIn, [StoredValue]()), false, on: ["note": .text("a")])
    }

    @Test func betweenIncludesBothEnds() throws {
        for (value, expected) in [(0, false), (1, true), (3, true), (5, true), (6, false)] {
            let values = ["reports": StoredValue.integer(Int64(value))]
            try check(.keyPath("reports", .between, [1, 5]), expected, on: values)
            try check(.keyPath("reports", .between, [0.5, 5.5]), expected, on: values)
        }
    }

    @Test func textOperatorsCompareBytes() throws {
        let values = ["note": StoredValue.text("Big one")]
        try check(.keyPath("note", .contains, "g o"), true, on: values)
        try check(.keyPath("note", .contains, "G o"), false, on: values)
        try check(.keyPath("note", .contains, "G O", .caseInsensitive), true, on: values)
        try check(.keyPath("note", .contains, ""), true, on: values)
        try check(.keyPath("note", .beginsWith, "Big"), true, on: values)
        try check(.keyPath("note", .beginsWith, "big"), false, on: values)
        try check(.keyPath("note", .endsWith, "one"), true, on: values)
        try check(.keyPath("note", .endsWith, "ONE", .caseInsensitive), true, on: values)
        try check(.keyPath("note", .endsWith, "the Big one"), false, on: values)
        try check(.keyPath("note", .like, "B?g*e"), true, on: values)
        try check(.keyPath("note", .isIn, ["big ONE"], .caseInsensitive), true, on: values)
        try check(.keyPath("note", .isIn, ["x", "Big one", "a"]), true, on: values)
        for relation in [Operator.contains, .beginsWith, .endsWith, .like] {
            try check(.keyPath("note", relation, ""), false, on: [:])
        }
    }

    @Test func theEmptyTextIsNotNull() throws {
        try check(.keyPath("note", .equal, ""), true, on: ["note": .text("")])
        try check(.keyPath("note", .equal, .null), false, on: ["note": .text("")])
        try check(.keyPath("note", .equal, ""), false, on: [:])
    }

    @Test func composedAndDecomposedLettersDiffer() throws {
        let values = ["note": StoredValue.text("caf\u{E9}")]
        try check(.keyPath("note", .equal, "caf\u{E9}"), true, on: values)
        try check(.keyPath("note", .equal, "cafe\u{301}"), false, on: values)
        try check(.keyPath("note", .isIn, ["cafe\u{301}"]), false, on: values)
        try check(.keyPath("note", .equal, "cafe\u{301}", .caseInsensitive), false, on: values)
        try check(.keyPath("note", .equal, "cafe\u{301}", .diacriticInsensitive), true, on: values)
    }

    @Test func textGoesOnAfterNUL() throws {
        let values = ["note": StoredValue.text("a\u{0}b")]
        try check(.keyPath("note", .equal, "a"), false, on: values)
        try check(.keyPath("note", .endsWith, "\u{0}b"), true, on: values)
        try check(.keyPath("note", .contains, "B", .caseInsensitive), true, on: values)
        try check(.keyPath("note", .like, "a?b"), true, on: values)
        try check(
            .keyPath("note", .equal, "\u{C9}\u{0}B", [.caseInsensitive, .diacriticInsensitive]),
            true,
            on: ["note": .text("e\u{0}b")])
    }

    @Test func numbersCompareByValueAcrossTypes() throws {
        try check(.keyPath("isFelt", .equal, 1), true, on: ["isFelt": .boolean(true)])
        try check(.keyPath("reports", .equal, true), true, on: ["reports": .integer(1)])
        try check(.keyPath("magnitude", .equal, 0), true, on: ["magnitude": .double(-0.0)])
        try check(.keyPath("damage", .greater, 1.25), true, on: ["damage": .decimal(1.5)])
        try check(.keyPath("damage", .isIn, [1, 2]), true, on: ["damage": .decimal(2)])
        try check(.keyPath("depth", .equal, 0.5), true, on: ["depth": .double(0.5)])
        let wide = ["reports": StoredValue.integer(9_007_199_254_740_993)]
        try check(.keyPath("reports", .equal, 9_007_199_254_740_992.0), false, on: wide)
        try check(.keyPath("reports", .greater, 9_007_199_254_740_992.0), true, on: wide)
        for (bound, isLess) in [(1e30, true), (-1e30, false), (Double.infinity, true)] {
            try check(.keyPath("reports", .less, bound), isLess, on: ["reports": .integer(.min)])
            try check(
                .keyPath("reports", .greater, bound), !isLess, on: ["reports": .integer(.max)])
        }
    }

    @Test func decimalsCompareWithDoublesThatNoDecimalCanHold() throws {
        try check(.keyPath("damage", .less, 1e300), true, on: ["damage": .decimal(5)])
        try check(.keyPath("damage", .greater, 1e-300), true, on: ["damage": .decimal(5)])
        try check(.keyPath("damage", .less, Double.infinity), true, on: ["damage": .decimal(5)])
    }

    @Test func otherTypesCompareByTheirOwnOrder() throws {
        let date = Date(timeIntervalSinceReferenceDate: 100)
        try check(.keyPath("time", .less, date), false, on: ["time": .date(date)])
        try check(.keyPath("time", .isIn, [date]), true, on: ["time": .date(date)])
        let uuid = UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        try check(.keyPath("identifier", .equal, uuid), true, on: ["identifier": .uuid(uuid)])
        try check(.keyPath("identifier", .isIn, [uuid]), true, on: ["identifier": .uuid(uuid)])
        try check(.keyPath("identifier", .notEqual, uuid), true, on: [:])
        try check(.keyPath("wave", .less, Data([2])), true, on: ["wave": .binary(Data([1, 9]))])
        try check(.keyPath("link", .beginsWith, "https:"), true, on: ["link": .uri("https://a")])
    }

    @Test func twoKeyPathsOfOneObjectCompare() throws {
        let smaller = FetchPredicate.comparison(
            PredicateComparison(.keyPath(["depth"]), .less, .keyPath(["magnitude"])))
        let same = FetchPredicate.comparison(
            PredicateComparison(.keyPath(["note"]), .equal, .keyPath(["code"])))
        try check(smaller, true, on: ["depth": .double(1), "magnitude": .double(2)])
        try check(smaller, false, on: ["magnitude": .double(2)])
        try check(same, true, on: [:])
        try check(same, false, on: ["note": .text("a")])
    }

    @Test func aConstantMayStandOnTheLeft() throws {
        let greater = FetchPredicate.comparison(
            PredicateComparison(.constant(.integer(5)), .greater, .keyPath(["magnitude"])))
        try check(greater, true, on: ["magnitude": .double(4)])
        try check(greater, false, on: ["magnitude": .double(5)])
        let begins = FetchPredicate.comparison(
            PredicateComparison(.constant(.text("abc")), .beginsWith, .keyPath(["code"])))
        try check(begins, true, on: ["code": .text("ab")])
    }
}
