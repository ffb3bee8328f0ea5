import Duramen
import Foundation
import Testing

/// Fetching dictionaries, by hand-written expectations on every store.
struct DictionaryFetchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: @Sendable () throws -> DictionaryFetchRequest<Sale>
        let expected: [String]

        init(
            _ description: String, _ expected: [String],
            _ request: @escaping @Sendable () throws -> DictionaryFetchRequest<Sale>
        ) {
            testDescription = description
            self.request = request
            self.expected = expected
        }
    }

    private static func sales(_ columns: ResultColumn...) -> DictionaryFetchRequest<Sale> {
        DictionaryFetchRequest(FetchRequest<Sale>(), columns)
    }

    static let rows: [Case] = [
        Case("columns by object ID", ["a 2", "b 1", "c -", "d 5", "e 7", "f 1", "g 3", "h -"]) {
            sales("code", "quantity")
        },
        Case("over a to-one", ["a Mill Ulm", "b Mill Ulm", "c Quay -"]) {
            sales("code", "shop.name", "shop.city").limit(3)
        },
        Case(
            "a to-one is an object ID, as is the object",
            ["a Shop Sale", "g Shop OnlineSale", "h - Sale"]
        ) {
            sales("code", "shop", ResultColumn("id", .selfObject))
                .where(try FetchPredicate("code IN {'a', 'g', 'h'}"))
        },
        Case("the object alone", ["Sale", "OnlineSale"]) {
            sales(ResultColumn("id", .selfObject)).offset(5).limit(2)
        },
        Case("a limit without a bound", ["a", "b", "c", "d", "e", "f", "g", "h"]) {
            sales("code").sorted(by: "code").limit(.max)
        },
        Case("calculated", ["a 3.0 5", "b - 5", "c - 4"]) {
            sales(
                "code", try ResultColumn("heavy", "quantity * weight"),
                try ResultColumn("length", "length(title)")
            ).limit(3)
        },
        Case(
            "sorted by a column, null first, then by all columns",
            ["- - h", "- fish c", "1 Bread b", "1 fish f"]
        ) { sales("quantity", "title", "code").sorted(by: "quantity").limit(4) },
        Case("sorted by what is no column", ["-", "3", "1", "7"]) {
            sales("quantity").where(try FetchPredicate("code >= 'e'"))
                .sorted(by: "code", .descending)
        },
        Case("sorted over a to-one that is no column", ["h -", "a 2", "b 1", "e 7", "d 5"]) {
            sales("code", "quantity").where(try FetchPredicate("code IN {'a','b','d','e','h'}"))
                .sorted(by: "shop.name")
        },
        Case("sorted without case", ["-", "-", "Bread", "bread", "bread", "bread"]) {
            sales("title").sorted(
                by: FetchSortDescriptor("title", comparison: .caseInsensitive)
            ).limit(6)
        },
        Case("a window", ["c", "d"]) { sales("code").offset(2).limit(2) },
        Case("a window behind the end", []) { sales("code").offset(20) },
        Case("limit 0", []) { sales("code").limit(0) },
        Case("distinct, ordered by the columns", ["-", "Bread", "bread", "fish"]) {
            sales("title").distinct()
        },
        Case("distinct, sorted and windowed", ["fish Quay", "bread Quay"]) {
            sales("title", "shop.name").distinct().sorted(by: "shop.name", .descending)
                .sorted(by: "title", .descending).limit(2)
        },
        Case("distinct of calculated values", ["false", "true"]) {
            sales(try ResultColumn("is", "TERNARY(quantity > 2, YES, NO)")).distinct()
        },
    ]

    static let groups: [Case] = [
        Case("counts by group, null first", ["- 2", "Bread 1", "bread 3", "fish 2"]) {
            sales("title", try ResultColumn("n", "count(SELF)")).grouped(by: "title")
        },
        Case("a count leaves nulls out", ["8 6 7 3"]) {
            sales(
                try ResultColumn("all", "count(SELF)"), try ResultColumn("some", "count(quantity)"),
                try ResultColumn("shops", "count(shop)"),
                try ResultColumn("titles", "count(distinctUnionOfObjects(title))"))
        },
        Case("aggregates of whole numbers, doubles and decimals", ["19 9.75 30.15d 1 4.0"]) {
            sales(
                try ResultColumn("a", "sum(quantity)"), try ResultColumn("b", "sum(weight)"),
                try ResultColumn("c", "sum(amount)"), try ResultColumn("d", "min(quantity)"),
                try ResultColumn("e", "max(weight)"))
        },
        Case("averages", ["3.1666666666666665 1.625 5.025d"]) {
            sales(
                try ResultColumn("a", "average(quantity)"), try ResultColumn("b", "weight.@avg"),
                try ResultColumn("c", "average(amount)"))
        },
        Case("medians and deviations", ["3.0 1.75 2.0"]) {
            sales(
                try ResultColumn("a", "median(quantity)"), try ResultColumn("b", "median(weight)"),
                try ResultColumn("c", "stddev(quantity)")
            ).where(try FetchPredicate("code IN {'d', 'f'}"))
        },
        Case("the first and the last of texts and dates", ["Bread fish 0. 6."]) {
            sales(
                try ResultColumn("a", "min(title)"), try ResultColumn("b", "max(title)"),
                try ResultColumn("c", "min(day)"), try ResultColumn("d", "max(day)"))
        },
        Case("modes are several values, of which one is taken", ["1 1"]) {
            sales(
                try ResultColumn("a", "mode(quantity)[FIRST]"),
                try ResultColumn("b", "count(mode(title))")
            ).where(try FetchPredicate("code != 'a' AND code != 'e'"))
        },
        Case("grouped over a to-one", ["- 1 -", "Mill 3 10", "Quay 4 9"]) {
            sales(
                "shop.name", try ResultColumn("n", "count(SELF)"),
                try ResultColumn("sum", "TERNARY(count(quantity) > 0, sum(quantity), nil)")
            ).grouped(by: "shop.name")
        },
        Case("grouped by a to-one", ["- 1", "Shop 3", "Shop 4"]) {
            sales("shop", try ResultColumn("n", "count(SELF)")).grouped(by: "shop")
        },
        Case("grouped by two paths", ["- - 1", "Mill Bread 1", "Mill bread 2", "Quay - 1"]) {
            sales("shop.name", "title", try ResultColumn("n", "count(SELF)"))
                .grouped(by: "shop.name", "title").limit(4)
        },
        Case("calculated of aggregates, which are of what is calculated", ["46.0 7.75"]) {
            sales(
                try ResultColumn("a", "sum(quantity * weight)"),
                try ResultColumn("b", "max(weight) - min(weight) + count(SELF) / 2"))
        },
        Case("calculated of grouped paths", ["- -", "BREAD 3", "FISH 2"]) {
            sales(
                try ResultColumn("upper", "uppercase:(title)"),
                try ResultColumn("n", "TERNARY(title == nil, nil, count(SELF))")
            ).grouped(by: "title").where(try FetchPredicate("title != 'Bread'"))
        },
        Case("having an alias as a variable", ["bread 3"]) {
            sales("title", try ResultColumn("n", "count(SELF)")).grouped(by: "title")
                .having(try FetchPredicate("$n > 2"))
        },
        Case("having an alias as a key path", ["- 2", "fish 2"]) {
            sales("title", try ResultColumn("count", "count(SELF)")).grouped(by: "title")
                .having(try FetchPredicate("count == 2"))
        },
        Case("having an aggregate", ["bread", "fish"]) {
            sales("title").grouped(by: "title")
                .having(try FetchPredicate("count(SELF) > 1 AND max(amount) >= 4"))
        },
        Case("having an aggregate of a name that is a column's too", ["bread 7"]) {
            sales("title", try ResultColumn("quantity", "max(quantity)")).grouped(by: "title")
                .having(try FetchPredicate("quantity > 5 AND min(quantity) == 2"))
        },
        Case("having a grouped path", ["fish 2"]) {
            sales("title", try ResultColumn("n", "count(SELF)")).grouped(by: "title")
                .having(try FetchPredicate("title BEGINSWITH 'f' OR title IN {'none'}"))
        },
        Case("having without groups", []) {
            sales(try ResultColumn("n", "count(SELF)")).having(try FetchPredicate("n > 100"))
        },
        Case("having compares without case", ["Bread 1", "bread 3"]) {
            sales("title", try ResultColumn("n", "count(SELF)")).grouped(by: "title")
                .having(try FetchPredicate("title ==[c] 'BREAD'"))
        },
        Case("having with NOT and a null aggregate", ["-"]) {
            sales("shop.name").grouped(by: "shop.name")
                .having(try FetchPredicate("NOT (max(quantity) > 0)"))
        },
        Case(
            "sorted by an aggregate, then by all columns", ["3 bread", "2 -", "2 fish", "1 Bread"]
        ) {
            sales(try ResultColumn("n", "count(SELF)"), "title").grouped(by: "title")
                .sorted(by: "n", .descending)
        },
        Case("sorted by a grouped path that is no column", ["2", "3", "1", "2"]) {
            sales(try ResultColumn("n", "count(SELF)")).grouped(by: "title")
                .sorted(by: "title", .descending)
        },
        Case("distinct groups", ["1", "2", "3"]) {
            sales(try ResultColumn("n", "count(SELF)")).grouped(by: "title").distinct()
        },
        Case("no rows and no groups give one result", ["0 0 - -"]) {
            sales(
                try ResultColumn("a", "count(SELF)"), try ResultColumn("b", "sum(quantity)"),
                try ResultColumn("c", "max(quantity)"), try ResultColumn("d", "average(weight)")
            ).where(.constant(false))
        },
        Case("no rows make no groups", []) {
            sales("title", try ResultColumn("n", "count(SELF)")).grouped(by: "title")
                .where(.constant(false))
        },
        Case("a function of a to-many is a value of each row", ["a 3", "c 4"]) {
            sales("code", try ResultColumn("n", "shop.sales.@count"))
                .where(try FetchPredicate("code IN {'a', 'c'}"))
        },
        Case("an aggregate of what to-manys lead to", ["3 25"]) {
            sales(
                try ResultColumn("least", "min(shop.sales.@count)"),
                try ResultColumn("sum", "sum(shop.sales.@count)")
            ).where(try FetchPredicate("shop != nil"))
        },
    ]

    @Test(arguments: StoreKind.allCases, rows.indices)
    func rowsGiveWhatIsExpected(kind: StoreKind, index: Int) throws {
        try check(Self.rows[index], kind)
    }

    @Test(arguments: StoreKind.allCases, groups.indices)
    func groupsGiveWhatIsExpected(kind: StoreKind, index: Int) throws {
        try check(Self.groups[index], kind)
    }

    private func check(_ test: Case, _ kind: StoreKind) throws {
        let container = try Sales.shared(kind)
        let request = try test.request()
        let found = try container.fetchDictionariesAndWait(request)
        #expect(found.map(\.words) == test.expected, "\(test.testDescription)")
        let context = container.makeContext()
        #expect(try context.fetchDictionaries(request) == found)
    }
}
