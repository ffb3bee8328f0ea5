import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// Groups and aggregates that the engine makes, beside those that the core makes of the rows.
@Suite struct GroupingTests {
    let folder = TemporaryFolder()

    private func fill(_ store: some PersistentStore) throws {
        let authors = try ["Ada", "Bo"].map {
            try store.insert("Person", ["name": .text(StoredText($0))])
        }
        for place in 0..<60 {
            var values: [String: StoredValue] = [:]
            if place % 7 != 0 { values["title"] = .text(["a", "b", "a\0", ""][place % 4]) }
            if place % 5 != 0 { values["pages"] = .integer(place == 3 ? .max : Int64(place % 9)) }
            if place % 4 != 0 { values["rating"] = .double(Double(place) / 10) }
            if place % 3 != 0 { values["author"] = .objectID(authors[place % 2]) }
            if place % 6 != 0 { values["isLent"] = .boolean(place % 2 == 0) }
            try store.insert("Book", values)
        }
    }

    private static let columns: [(String, String)] = [
        ("rows", "count(SELF)"), ("count", "count(pages)"), ("sum", "sum(pages)"),
        ("mean", "average(rating)"), ("least", "min(title)"), ("most", "max(rating)"),
        ("middle", "median(pages)"), ("spread", "stddev(rating)"), ("first", "min(isLent)"),
        ("scaled", "sum(rating * 2 + pages)"), ("names", "max(author.name)"),
        ("halves", "min(TERNARY(pages > 4, pages, rating))"),
        ("ratio", "sum(rating) / count(SELF)"),
    ]

    @Test(arguments: [
        [], [["title"]], [["author"]], [["isLent"]], [["author", "name"]], [["title"], ["pages"]],
        [["author"], ["isLent"], ["rating"]],
    ])
    func groupsOfTheEngineAreThoseOfTheEvaluator(_ groupBy: [[String]]) throws {
        let store = try Library.open(folder.file())
        try fill(store)
        let entity = try store.entity("Book")
        for condition in [nil, "pages > 3", "pages < -1", "author.name == 'Ada'"] as [String?] {
            let query = ResultQuery(
                entity: entity.id, predicate: try condition.map { try FetchPredicate($0) },
                columns: try groupBy.map { ResultColumn($0.joined(separator: ".")) }
                    + Self.columns.map { try ResultColumn($0, $1) },
                groupBy: groupBy, having: try FetchPredicate("$rows > 0 OR $sum == 0"))
            let snapshot = try store.snapshot()
            let before = (store.counters.statements, store.counters.rowsDecoded)
            let results = try ResultExecution(query, on: store, in: snapshot).results()
            #expect(store.counters.statements - before.0 == 1, "\(condition ?? "all")")
            #expect(store.counters.rowsDecoded == before.1)
            #expect(try resultsOfRows(query, store) == results)
            #expect(results.isEmpty == (condition == "pages < -1" && !groupBy.isEmpty))
        }
    }

    @Test func distinctResultsAreGroupsOfTheEngine() throws {
        let store = try Library.open(folder.file())
        try fill(store)
        let entity = try store.entity("Book")
        let query = ResultQuery(
            entity: entity.id, columns: ["title", "author", "isLent"], isDistinct: true,
            sortDescriptors: [FetchSortDescriptor("title", ascending: false)], offset: 1, limit: 9)
        let snapshot = try store.snapshot()
        let before = store.counters.rowsDecoded
        let results = try ResultExecution(query, on: store, in: snapshot).results()
        #expect(store.counters.rowsDecoded == before)
        #expect(results.count == 9)
        #expect(try resultsOfRows(query, store) == results)
    }

    /// What the core makes of the rows.
    private func resultsOfRows(
        _ query: ResultQuery, _ store: any PersistentStore
    ) throws -> [[StoredValue]] {
        let walking = WalkingStore(store)
        return try ResultExecution(query, on: walking, in: walking.snapshot()).results()
    }
}
