import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// Queries that differ in values only share a statement; their answers must not be shared.
@Suite struct StatementShapeTests {
    let folder = TemporaryFolder()

    private static let texts: [StoredValue] = ["", "a", "ab", "a\0b", "b", "\u{e9}", "e\u{301}"].map
    {
        .text(StoredText($0))
    }
    private static let numbers: [StoredValue] = [
        .integer(0), .integer(3), .integer(.max), .integer(-3), .double(3), .double(2.5),
        .double(0x1p63), .decimal(3), .decimal(2.5), .boolean(true),
    ]

    private func fill(_ store: some PersistentStore) throws -> [ManagedObjectID] {
        let people = try ["Person", "Poet"].map {
            try store.insert($0, ["name": .text(StoredText($0))])
        }
        var books: [ManagedObjectID] = []
        for (place, text) in (Self.texts + [.null]).enumerated() {
            let author: StoredValue = place < 4 ? .objectID(people[place % 2]) : .null
            books.append(
                try store.insert(
                    "Book",
                    [
                        "title": text, "pages": .integer(Int64(place) - 3),
                        "rating": .double(Double(place) / 2), "author": author,
                    ]))
        }
        return people + books
    }

    @Test func aStatementAnswersForEveryValueLikeTheEvaluator() throws {
        let store = try Library.open(folder.file())
        let ids = try fill(store)
        let entity = try store.entity("Book")
        let objects = ids.map { StoredValue.objectID($0) }
        var conditions: [(FetchExpression, PredicateComparison.Operator, FetchExpression)] = []
        for relation in PredicateComparison.Operator.allCases {
            let isOfText = [.contains, .beginsWith, .endsWith, .like].contains(relation)
            let isOfList = [.between, .isIn, .matches].contains(relation)
            if isOfList { continue }
            for text in Self.texts + [.null] {
                conditions.append((.keyPath(["title"]), relation, .constant(text)))
                conditions.append((.keyPath(["author", "name"]), relation, .constant(text)))
            }
            if isOfText { continue }
            for number in Self.numbers + [.null] {
                conditions.append((.keyPath(["pages"]), relation, .constant(number)))
                conditions.append((.keyPath(["rating"]), relation, .constant(number)))
                conditions.append((.constant(number), relation, .keyPath(["pages"])))
            }
            for object in objects { conditions.append((.selfObject, relation, .constant(object))) }
            if relation != .equal, relation != .notEqual { continue }
            for object in objects + [.null] {
                conditions.append((.keyPath(["author"]), relation, .constant(object)))
            }
        }
        for low in Self.numbers {
            for high in Self.numbers {
                conditions.append((.keyPath(["pages"]), .between, .list([low, high])))
            }
        }
        for (left, relation, right) in conditions {
            let predicate = FetchPredicate.comparison(PredicateComparison(left, relation, right))
            for condition in [predicate, .and([predicate, .not(predicate)]), .not(predicate)] {
                try check(condition, of: entity, in: store)
            }
        }
    }

    /// Asks rows, IDs and the count by statement, and the evaluator.
    private func check(
        _ condition: FetchPredicate, of entity: Entity, in store: any PersistentStore
    ) throws {
        let snapshot = try store.snapshot()
        let all = try QueryExecution(StoreQuery(entity: entity.id), on: store, in: snapshot).rows()
        let bound = try condition.bound(to: entity, in: store.model)
        let source = SnapshotSource(store, snapshot)
        let expected = try all.filter {
            try bound.evaluate(
                $0, id: $0.objectID(in: store.model, store: store.handle), in: source)
        }.map(\.key)
        let query = StoreQuery(entity: entity.id, predicate: condition)
        let execution = try QueryExecution(query, on: store, in: snapshot)
        #expect(try execution.rows().map(\.key) == expected, "\(condition)")
        #expect(try execution.objectIDs().map(\.key) == expected, "\(condition)")
        #expect(try execution.count() == expected.count, "\(condition)")
    }

    /// What comes after a place is asked for as one comparison of rows, if its values are what a
    /// place has.
    @Test func placesInAnOrderAreAnsweredLikeTheEvaluator() throws {
        let store = try Library.open(folder.file())
        let ids = try fill(store)
        let book = try store.entity("Book")
        func after(
            _ key: String, _ bound: StoredValue, _ above: StoredValue, _ ties: FetchPredicate
        ) -> FetchPredicate {
            .and([
                compare(key, .greaterOrEqual, bound), .or([compare(key, .greater, above), ties]),
            ])
        }
        let selves = ids.map {
            FetchPredicate.comparison(
                PredicateComparison(.selfObject, .greater, .constant(.objectID($0))))
        }
        for itself in selves {
            for bound in Self.numbers + [.null] {
                for above in Self.numbers + [.null] {
                    let place = after("pages", bound, above, itself)
                    try check(place, of: book, in: store)
                    try check(.not(place), of: book, in: store)
                }
                let ties = after("title", .text("a"), .text("a"), itself)
                try check(after("rating", bound, bound, ties), of: book, in: store)
            }
            // Poets are people: one table, two entities.
            let place = after("name", .text("Person"), .text("Person"), itself)
            try check(place, of: try store.entity("Person"), in: store)
            let through = after("author.name", .text("Person"), .text("Person"), itself)
            try check(through, of: book, in: store)
            var long = itself
            for _ in 0..<20 { long = after("pages", .integer(0), .integer(0), long) }
            try check(long, of: book, in: store)
        }
    }

    /// SQLite goes to the place by all columns of the index, not through all that share the first.
    @Test func aPlaceInAnOrderIsABoundOfTheIndex() throws {
        let model = testModel([
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("rank", .integer64, isOptional: true),
                    AttributeDescription("name", .string, isOptional: true),
                ],
                indexes: [
                    IndexDescription(name: "byRank", elements: [.init("rank")]),
                    IndexDescription(name: "byBoth", elements: [.init("rank"), .init("name")]),
                ])
        ])
        let file = folder.file()
        let store = try PersistentStoreDescription.sqlite(file).open(model: model)
        let id = try store.insert("Thing", ["rank": .integer(1)])
        let snapshot = try store.snapshot()
        for (keys, bound) in [
            (["rank"], "byRank (ZRANK>?)"), (["rank", "name"], "byBoth ((ZRANK,ZNAME)>(?,?))"),
        ] {
            let order = keys.map { FetchSortDescriptor($0) }
            let values = [StoredValue.integer(1), .text("a")]
            let position = FetchPosition(values: Array(values.prefix(keys.count)), objectID: id)
            let query = StoreQuery(
                entity: try store.entity("Thing").id, predicate: position.predicate(after: order),
                sortDescriptors: order)
            let plan = try QueryExecution(query, on: store, in: snapshot).explanation().description
            #expect(plan.contains(bound) && !plan.contains("SORTER"), "\(plan)")
        }
    }

    @Test func windowsOfOneShapeAreTakenForThemselves() throws {
        let store = try Library.open(folder.file())
        _ = try fill(store)
        let entity = try store.entity("Book")
        let snapshot = try store.snapshot()
        let descriptors = [FetchSortDescriptor("pages", ascending: false)]
        let all = try QueryExecution(
            StoreQuery(entity: entity.id, sortDescriptors: descriptors), on: store, in: snapshot
        ).rows().map(\.key)
        for offset in 0..<10 {
            for limit in [nil, 0, 1, 3, 20] {
                let query = StoreQuery(
                    entity: entity.id, sortDescriptors: descriptors, offset: offset, limit: limit)
                let execution = try QueryExecution(query, on: store, in: snapshot)
                let rest = all.dropFirst(offset)
                let expected = Array(limit.map { rest.prefix($0) } ?? rest)
                #expect(try execution.rows().map(\.key) == expected)
                #expect(try execution.objectIDs().map(\.key) == expected)
                #expect(try execution.count() == expected.count)
            }
        }
    }

    @Test func namesThatLookAlikeAreToldApart() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let model = testModel([
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription(composed, .integer64, isOptional: true),
                    AttributeDescription(decomposed, .integer64, isOptional: true),
                ])
        ])
        let entity = try #require(model.entity(named: "Thing"))
        let store = try PersistentStoreDescription.sqlite(folder.file()).open(model: model)
        let first = try store.insert("Thing", [composed: .integer(1)])
        let second = try store.insert("Thing", [decomposed: .integer(2)])
        let snapshot = try store.snapshot()
        for (name, value, count) in [
            (composed, 1, 1), (decomposed, 1, 0), (decomposed, 2, 1), (composed, 2, 0),
        ] {
            let query = StoreQuery(
                entity: entity.id, predicate: compare(name, .equal, .integer(Int64(value))))
            #expect(try QueryExecution(query, on: store, in: snapshot).count() == count)
        }
        for (name, id) in [(composed, first), (decomposed, second)] {
            let query = StoreQuery(
                entity: entity.id, sortDescriptors: [FetchSortDescriptor(name, ascending: false)])
            let keys = try QueryExecution(query, on: store, in: snapshot).objectIDs().map(\.key)
            #expect(keys.first == id.key)
        }
    }
}
