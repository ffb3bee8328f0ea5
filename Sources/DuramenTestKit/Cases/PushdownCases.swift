import DuramenModel
import DuramenQuery
import DuramenStore

/// Law 6: the accepted part of a query has exactly the result of the reference evaluator.
///
/// Every case runs a family of queries on fixed data. It compares rows, IDs and counts with those
/// of an evaluation that reads all data and uses no store.
enum PushdownCases {
    static var all: [ConformanceCase] {
        families.map { family in
            ConformanceCase(.pushdown, family.name) { driver in
                let (contents, queries) = try family.prepare(driver)
                try compare(queries, driver, contents)
            }
        } + [refusal, change, CompositeCases.refusal]
    }

    private static var families: [QueryFamily] {
        ComparisonQueries.families + TextQueries.families + RelationshipQueries.families
            + OrderQueries.families + LongValueQueries.families + CompoundQueries.families
            + ExternalValueQueries.families
            + CompositeQueries.families + ExpressionQueries.families
    }

    private static func compare(
        _ queries: [StoreQuery], _ driver: StoreDriver, _ contents: StoreContents
    ) throws {
        let snapshot = try driver.store.snapshot()
        let plain = PlainEvaluation(contents: contents, model: driver.model)
        for query in queries {
            let expected = plain.results(of: query)
            let execution = try QueryExecution(query, on: driver.store, in: snapshot)
            let rows = try execution.rows()
            try checkIDs(rows.map(driver.id(of:)), expected, query, "rows")
            try checkIDs(try execution.objectIDs(), expected, query, "IDs")
            try checkEqual(
                try execution.count(), expected.count, "the count of \(describe(query))")
            for row in rows {
                let found = RowCoding.values(of: row, in: driver.model, store: driver.store.handle)
                let record = contents.records[driver.id(of: row)]
                try check(
                    record?.values == found && record?.version == row.version,
                    "a row of \(describe(query)) differs from the stored one")
            }
        }
    }

    private static func checkIDs(
        _ found: [ManagedObjectID], _ expected: [ManagedObjectID], _ query: StoreQuery,
        _ kind: String
    ) throws {
        if found == expected { return }
        let missing = expected.filter { !found.contains($0) }.map(\.key)
        let excess = found.filter { !expected.contains($0) }.map(\.key)
        let isOrder = missing.isEmpty && excess.isEmpty
        throw Difference(
            "the \(kind) of \(describe(query)): "
                + (isOrder
                    ? "in another order"
                    : "missing \(missing.prefix(9)), in excess \(excess.prefix(9))"))
    }

    private static func describe(_ query: StoreQuery) -> String {
        let predicate = query.predicate.map { "\($0)" } ?? "all"
        let order = query.sortDescriptors.map {
            "\($0.keyPath.joined(separator: "."))\($0.isAscending ? "" : " descending")"
        }
        return
            "[\(shortened(predicate)); \(order); \(query.offset), \(query.limit.map(String.init) ?? "all")]"
    }

    /// A text with long runs of one character replaced by their counts.
    private static func shortened(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let first = rest.first {
            let run = rest.prefix { $0 == first }
            result += run.count > 20 ? "\(first)…\(run.count)…" : run
            rest = rest.dropFirst(run.count)
        }
        return result
    }

    private static var change: ConformanceCase {
        ConformanceCase(
            .pushdown, "What was taken of a query and changed since is answered as it is now"
        ) {
            driver in
            var draft = driver.draft()
            for rank in 0..<20 { try draft.insert("Disc", ["rank": .integer(Int64(rank))]) }
            try driver.commit(draft)
            let snapshot = try driver.store.snapshot()
            var asked = driver.query(
                "Disc", where: .keyPath("rank", .less, .integer(15)),
                sortedBy: [FetchSortDescriptor("rank", ascending: false)])
            asked.limit = 9
            let changes: [(inout StoreQuery) -> Void] = [
                { $0.predicate = .keyPath("rank", .less, .integer(3)) }, { $0.predicate = nil },
                { $0.sortDescriptors = [] }, { $0.limit = 2 }, { $0.limit = nil },
                { $0.offset = 4 },
                { $0.entity = driver.query("Item").entity }, { $0.includesSubentities = false },
            ]
            for change in changes {
                var fresh = asked
                change(&fresh)
                let split = driver.store.pushdown(for: fresh)
                var changed = driver.store.pushdown(for: asked).pushed
                change(&changed)
                // The store must not get queries that it does not evaluate completely.
                guard split == .whole(changed) else { continue }
                let ids = try snapshot.objectIDs(changed)
                try checkEqual(
                    ids,
                    try QueryExecution(fresh, on: driver.store, in: snapshot).objectIDs(),
                    "the IDs of \(describe(changed))")
            }
        }
    }

    private static var refusal: ConformanceCase {
        ConformanceCase(.pushdown, "Queries that do not fit the model are refused") { driver in
            _ = try Library(driver)
            let snapshot = try driver.store.snapshot()
            let wrong: [FetchPredicate] = [
                .keyPath("nowhere", .equal, .integer(1)), .keyPath("label", .less, .integer(1)),
                .keyPath("tags.name", .equal, .text("red")), .keyPath("isbn", .equal, .text("111")),
                .keyPath("label.size", .equal, .integer(1)),
            ]
            for predicate in wrong {
                for part in [predicate, .and([.keyPath("rank", .equal, .integer(1)), predicate])] {
                    try checkThrows(.invalidRequest, "\(predicate)") {
                        try QueryExecution(
                            driver.query("Item", where: part), on: driver.store, in: snapshot
                        ).rows()
                    }
                }
            }
            for path in ["nowhere", "shelf", "tags.name", "label.x"] {
                try checkThrows(.invalidRequest, "sorting by '\(path)'") {
                    try QueryExecution(
                        driver.query("Item", sortedBy: [FetchSortDescriptor(path)]),
                        on: driver.store,
                        in: snapshot
                    ).rows()
                }
            }
        }
    }
}

/// Queries about one subject.
struct QueryFamily: Sendable {
    let name: String
    /// Saves the data of the queries.
    let prepare: @Sendable (StoreDriver) throws -> (StoreContents, [StoreQuery])

    init(_ name: String, _ queries: @escaping @Sendable (QueryData) -> [StoreQuery]) {
        self.name = name
        prepare = { driver in
            let data = try QueryData(driver)
            return (data.contents, queries(data))
        }
    }

    /// Queries over the entries with ``LongValues``.
    init(
        ofEntries name: String, _ queries: @escaping @Sendable (StoreDriver) -> [StoreQuery]
    ) {
        self.name = name
        prepare = { driver in (try LongValues.insertEntries(driver), queries(driver)) }
    }

    /// Queries over data that the family saves itself.
    init(
        _ name: String,
        preparing prepare:
            @escaping @Sendable (StoreDriver) throws -> (
                StoreContents, [StoreQuery]
            )
    ) {
        self.name = name
        self.prepare = prepare
    }

    /// Queries over the sites of ``CompositeCases``.
    init(
        ofSites name: String, _ queries: @escaping @Sendable (StoreDriver) -> [StoreQuery]
    ) {
        self.name = name
        prepare = { driver in (try CompositeCases.insertSites(driver), queries(driver)) }
    }

    /// Queries for all objects of an entity that match each of some conditions.
    static func predicates(
        _ name: String, of entity: String,
        _ predicates: @escaping @Sendable (QueryData) -> [FetchPredicate]
    ) -> QueryFamily {
        QueryFamily(name) { data in
            predicates(data).flatMap { predicate in
                [predicate, .not(predicate)].map { data.driver.query(entity, where: $0) }
            }
        }
    }
}
