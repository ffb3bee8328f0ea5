import DuramenModel
import DuramenQuery
import Testing

/// What a result query may ask, and how it is told what it may not.
struct ResultBindingTests {
    typealias Code = FetchPredicateError.Code

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Code
        /// What the message names.
        let name: String
        let query: @Sendable () throws -> ResultQuery

        init(
            _ description: String, _ code: Code, _ name: String,
            _ query: @escaping @Sendable () throws -> ResultQuery
        ) {
            testDescription = description
            self.code = code
            self.name = name
            self.query = query
        }
    }

    private static func query(
        _ columns: ResultColumn..., by groups: [String] = [], having: String? = nil,
        distinct: Bool = false, sorted: FetchSortDescriptor...
    ) throws -> ResultQuery {
        ResultQuery(
            entity: Earth.entity("Quake").id, columns: columns,
            groupBy: groups.map { $0.split(separator: ".").map(String.init) },
            having: try having.map { try FetchPredicate(format: $0, arguments: []) },
            isDistinct: distinct, sortDescriptors: sorted)
    }

    private static func column(_ text: String) throws -> ResultColumn {
        try ResultColumn("x", FetchExpression(format: text))
    }

    static let refused: [Case] = [
        Case("no columns", .invalidColumn, "columns") { try query() },
        Case("no name", .invalidColumn, "name") { try query(ResultColumn("", .selfObject)) },
        Case("one name twice", .invalidColumn, "'code'") {
            try query("code", ResultColumn("code", .keyPath(["note"])))
        },
        Case("an unknown name", .unknownProperty, "magnitud") { try query("magnitud") },
        Case("an unknown name in an aggregate", .unknownProperty, "magnitud") {
            try query(try column("sum(magnitud)"))
        },
        Case("a to-many", .invalidColumn, "'tags'") { try query("tags") },
        Case("over a to-many", .invalidColumn, "'tags.name'") { try query("tags.name") },
        Case("a to-many that is grouped by", .invalidKeyPath, "tags") {
            try query(try column("count(SELF)"), by: ["tags"])
        },
        Case("grouped over a to-many", .invalidKeyPath, "tags") {
            try query(try column("count(SELF)"), by: ["tags.name"])
        },
        Case("an unknown group", .unknownProperty, "nothing") {
            try query(try column("count(SELF)"), by: ["nothing"])
        },
        Case("a column that is not grouped", .notGrouped, "code") {
            try query("code", try column("count(SELF)"))
        },
        Case("a column that is not grouped beside one that is", .notGrouped, "'note'") {
            try query("code", "note", by: ["code"])
        },
        Case("a part of a column that is not grouped", .notGrouped, "magnitude") {
            try query(try column("magnitude - max(magnitude)"))
        },
        Case("behind a grouped to-one", .notGrouped, "region.name") {
            try query("region.name", by: ["region"])
        },
        Case("the object of a group", .notGrouped, "SELF") {
            try query(ResultColumn("x", .selfObject), by: ["code"])
        },
        Case("a to-many of a group", .notGrouped, "tags") {
            try query(try column("tags.@count"), by: ["code"])
        },
        Case("an aggregate of an aggregate", .invalidAggregate, "max") {
            try query(try column("max(sum(magnitude))"))
        },
        Case("several values", .invalidColumn, "'x'") { try query(try column("mode(code)")) },
        Case("a sum of texts", .typeMismatch, "code") { try query(try column("sum(code)")) },
        Case("the greatest object", .typeMismatch, "region") {
            try query(try column("max(region)"))
        },
        Case("having without groups", .invalidAggregate, "group") {
            try query("code", having: "code == 'a'")
        },
        Case("having a name that is no column", .missingVariable, "$n") {
            try query("code", by: ["code"], having: "$n > 1")
        },
        Case("having what is not grouped", .notGrouped, "magnitude") {
            try query("code", by: ["code"], having: "magnitude > 1")
        },
        Case("having objects of a to-many", .notGrouped, "tags") {
            try query("code", by: ["code"], having: "ANY tags.name == 'x'")
        },
        Case("having values that do not compare", .typeMismatch, "count") {
            try query("code", by: ["code"], having: "count(SELF) == 'x'")
        },
        Case("sorted by what is not grouped", .notGrouped, "note") {
            try query("code", by: ["code"], sorted: FetchSortDescriptor("note"))
        },
        Case("distinct and sorted by no column", .notGrouped, "note") {
            try query("code", distinct: true, sorted: FetchSortDescriptor("note"))
        },
        Case("sorted by an unknown name", .unknownProperty, "nothing") {
            try query("code", sorted: FetchSortDescriptor("nothing"))
        },
        Case("sorted by objects", .typeMismatch, "region") {
            try query("region", sorted: FetchSortDescriptor("region"))
        },
        Case("numbers sorted without case", .typeMismatch, "magnitude") {
            try query(
                "magnitude",
                sorted: FetchSortDescriptor("magnitude", comparison: .caseInsensitive))
        },
        Case("a predicate that does not fit", .unknownProperty, "nothing") {
            var asked = try query("code")
            asked.predicate = try FetchPredicate("nothing == 1")
            return asked
        },
        Case("a column that is too deep", .tooComplex, "deep") {
            var expression = FetchExpression.keyPath(["magnitude"])
            for _ in 0..<200 { expression = .function(.abs, [expression]) }
            return try query(ResultColumn("x", expression))
        },
    ]

    @Test(arguments: refused.indices)
    func whatHasNoMeaningIsRefused(index: Int) throws {
        let test = Self.refused[index]
        let query = try test.query()
        let error = #expect(throws: FetchPredicateError.self) {
            try query.bound(to: Earth.entity("Quake"), in: Earth.model)
        }
        #expect(error?.code == test.code, "\(test.testDescription)")
        #expect(
            error?.message.contains(test.name) == true,
            "\(test.testDescription): \(error?.message ?? "")")
        #expect(error?.entity == "Quake")
    }

    @Test func deepNestingIsBoundInNoTime() throws {
        var expression = FetchExpression.keyPath(["code"])
        for _ in 0..<100 { expression = .function(.distinct, [expression]) }
        let query = try Self.query(ResultColumn("x", .function(.count, [expression])))
        #expect(try query.bound(to: Earth.entity("Quake"), in: Earth.model).isGrouped)
    }

    @Test func messagesNeverShowValues() throws {
        for text in ["max(sum(magnitude + 4711))", "mode(reports + 4711)", "code + 4711"] {
            let query = try Self.query(try Self.column(text), by: ["note"], having: "$x == 4711")
            let error = #expect(throws: FetchPredicateError.self) {
                try query.bound(to: Earth.entity("Quake"), in: Earth.model)
            }
            #expect(error?.message.contains("4711") == false, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: [
        "count(SELF)", "count(code)", "count(region)", "sum(tags.@count)", "min(time)",
        "sum(magnitude) / count(SELF)", "count(distinctUnionOfObjects(code))", "max(region.name)",
        "TERNARY(count(SELF) > 2, max(code), min(code))", "average(reports * 2)",
        "mode(code)[FIRST]", "max(1, count(SELF))", "stddev(depth)",
    ])
    func aggregatesMakeOneGroup(text: String) throws {
        let query = try Self.query(try Self.column(text))
        #expect(try query.bound(to: Earth.entity("Quake"), in: Earth.model).isGrouped)
    }

    @Test(arguments: [
        "tags.@count", "max(magnitude, depth)", "tags.name.@max", "length(code)", "SELF",
        "count({1, 2})", "sum({1, 2})", "region.capital.name",
    ])
    func valuesOfRowsAreNoAggregates(text: String) throws {
        let query = try Self.query(try Self.column(text))
        #expect(try !query.bound(to: Earth.entity("Quake"), in: Earth.model).isGrouped)
    }
}
