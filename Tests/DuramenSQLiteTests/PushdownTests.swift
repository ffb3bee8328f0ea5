import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@Suite struct PushdownTests {
    let folder = TemporaryFolder()

    /// Six books: keys 1 to 6, the last all null.
    private func fill(_ store: some PersistentStore) throws -> [ManagedObjectID] {
        let poet = try store.insert("Poet", ["name": .text("Ada")])
        let person = try store.insert("Person", ["name": .text("Bo")])
        let lost = ManagedObjectID(
            store: store.handle, entity: try store.entity("Person").handle, key: 999)
        let rows: [[String: StoredValue]] = [
            ["title": .text("e\u{301}tude"), "pages": .integer(1), "author": .objectID(poet)],
            [
                "title": .text("\u{e9}tude"), "pages": .integer(.max), "rating": .double(0x1p63),
                "author": .objectID(person),
            ],
            [
                "title": .text("a\0b"), "pages": .integer(9_007_199_254_740_993),
                "rating": .double(9_007_199_254_740_992), "author": .objectID(lost),
            ],
            ["title": .text(""), "pages": .integer(0), "rating": .double(1)],
            [
                "title": .text("a%_b*"), "pages": .integer(-5), "rating": .double(-.infinity),
                "isLent": .boolean(true),
            ],
            [:],
        ]
        return try rows.map { try store.insert("Book", $0) }
    }

    private func check(
        _ store: some PersistentStore, _ predicate: FetchPredicate, _ expected: [Int64],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let entity = try store.entity("Book").id
        let keys = try store.pushedKeys(StoreQuery(entity: entity, predicate: predicate))
        #expect(keys == expected, "\(predicate)", sourceLocation: location)
        let inverse = try store.pushedKeys(StoreQuery(entity: entity, predicate: .not(predicate)))
        #expect(
            inverse == (1...6).filter { !expected.contains($0) }, "not", sourceLocation: location)
    }

    @Test func comparisonsFollowTheNullLawAndTheirNegationIsExact() throws {
        let store = try Library.open(folder.file())
        let ids = try fill(store)
        try check(store, compare("pages", .greater, .integer(0)), [1, 2, 3])
        try check(store, compare("pages", .notEqual, .integer(1)), [2, 3, 4, 5, 6])
        try check(store, compare("pages", .equal, .null), [6])
        try check(store, compare("pages", .notEqual, .null), [1, 2, 3, 4, 5])
        try check(store, compare("pages", .less, .null), [])
        // An integer above 2^53 is not its nearest double.
        try check(store, compare("pages", .equal, .double(9_007_199_254_740_992)), [])
        try check(store, compare("pages", .less, .double(0x1p63)), [1, 2, 3, 4, 5])
        try check(store, compare("rating", .equal, .integer(9_007_199_254_740_993)), [])
        try check(store, compare("rating", .greater, .integer(.max)), [2])
        try check(store, compare("rating", .lessOrEqual, .double(-.infinity)), [5])
        try check(store, compare("isLent", .equal, .boolean(true)), [5])
        try check(store, compare("title", .equal, .text("\u{e9}tude")), [2])
        try check(store, compare("title", .beginsWith, .text("e")), [1])
        try check(store, compare("title", .beginsWith, .text("a\0")), [3])
        try check(store, compare("title", .beginsWith, .text("")), [1, 2, 3, 4, 5])
        try check(store, compare("title", .contains, .text("\0b")), [3])
        try check(store, compare("title", .contains, .text("%_")), [5])
        try check(store, compare("title", .endsWith, .text("b")), [3])
        try check(store, compare("title", .endsWith, .text("longer than all of them")), [])
        try check(store, compare("title", .contains, .null), [])
        try check(
            store, compare("pages", .isIn, [.integer(1), .null, .double(0), .integer(7)]), [1, 4])
        try check(store, compare("pages", .between, [.integer(-5), .integer(1)]), [1, 4, 5])
        let pair = PredicateComparison(.keyPath(["pages"]), .greater, .keyPath(["rating"]))
        try check(store, .comparison(pair), [3, 5])
        let itself = PredicateComparison(
            .selfObject, .isIn, .list([.objectID(ids[0]), .objectID(ids[3])]))
        try check(store, .comparison(itself), [1, 4])
        try store.close()
    }

    @Test func pathsAndToManysAreAnsweredLikeTheEvaluatorWould() throws {
        let store = try Library.open(folder.file())
        let ids = try fill(store)
        let label = try store.insert("Tag", ["label": .text("x")])
        let other = try store.insert("Tag", ["label": .text("y")])
        let tags = try store.relationship("tags", of: "Book")
        try store.saved(
            ChangeSet(edges: [
                EdgeChange(
                    relationship: tags,
                    added: [
                        .init(from: ids[0], to: label), .init(from: ids[0], to: other),
                        .init(from: ids[1], to: label),
                    ])
            ]))
        try check(store, compare("author.name", .equal, .text("Ada")), [1])
        // A path through a null or dangling reference is null.
        try check(store, compare("author.name", .equal, .null), [3, 4, 5, 6])
        try check(store, compare("author.name", .notEqual, .text("Ada")), [2, 3, 4, 5, 6])
        try check(store, compare("author", .equal, .null), [4, 5, 6])
        let poet = ManagedObjectID(
            store: store.handle, entity: try store.entity("Poet").handle, key: 1)
        let wrong = ManagedObjectID(
            store: store.handle, entity: try store.entity("Person").handle, key: 1)
        try check(store, compare("author", .equal, .objectID(poet)), [1])
        try check(store, compare("author", .equal, .objectID(wrong)), [])
        try check(store, compare("author", .notEqual, .objectID(poet)), [2, 3, 4, 5, 6])
        let isX = compare("label", .equal, .text("x"))
        try check(store, .quantified(.any, keyPath: ["tags"], isX), [1, 2])
        try check(store, .quantified(.all, keyPath: ["tags"], isX), [2, 3, 4, 5, 6])
        try check(store, .quantified(.none, keyPath: ["tags"], isX), [3, 4, 5, 6])
        try check(
            store,
            .comparison(
                PredicateComparison(.count(keyPath: ["tags"]), .greater, .constant(.integer(1)))),
            [1])
        try check(store, compare("tags", .contains, .objectID(other)), [1])
        let named = compare("pages", .greater, .integer(100))
        try check(store, .quantified(.any, keyPath: ["author", "books"], named), [2])
        try store.close()
    }

    @Test func orderAndWindowAreExact() throws {
        let store = try Library.open(folder.file())
        _ = try fill(store)
        let book = try store.entity("Book").id
        func keys(_ sort: [FetchSortDescriptor], _ offset: Int = 0, _ limit: Int? = nil) throws
            -> [Int64]?
        {
            try store.pushedKeys(
                StoreQuery(entity: book, sortDescriptors: sort, offset: offset, limit: limit))
        }
        #expect(try keys([.init("pages")]) == [6, 5, 4, 1, 3, 2])
        #expect(try keys([.init("pages", ascending: false)]) == [2, 3, 1, 4, 5, 6])
        #expect(try keys([.init("title")]) == [6, 4, 3, 5, 1, 2])
        #expect(try keys([.init("author.name", ascending: false)]) == [2, 1, 3, 4, 5, 6])
        #expect(try keys([.init("pages")], 1, 2) == [5, 4])
        #expect(try keys([], 4, nil) == [5, 6])
        #expect(try keys([], 0, 0) == [])
        #expect(try keys([.init("price")]) == nil)
        #expect(
            try keys([.init("title", comparison: .caseAndDiacriticInsensitive)])
                == [6, 4, 3, 5, 1, 2])
        try store.close()
    }

    @Test func whatIsNotSurelyExactStaysWithTheCore() throws {
        let store = try Library.open(folder.file())
        let book = try #require(store.model.entity(named: "Book")).id
        // Another number for each row, and no two engines have the same.
        let chance = FetchPredicate.comparison(
            PredicateComparison(.function(.random, []), .less, .constant(.double(0.5))))
        let pages = compare("pages", .greater, .integer(1))
        let split = store.pushdown(
            for: StoreQuery(entity: book, predicate: .and([chance, pages]), limit: 3))
        #expect(split.residual == .and([chance]))
        #expect(split.pushed.predicate == .and([pages]))
        #expect(split.needsWindow)
        var deep = pages
        for _ in 0..<200 { deep = .not(deep) }
        #expect(store.pushdown(for: StoreQuery(entity: book, predicate: deep)).residual == deep)
        let wide = FetchPredicate.or(
            (0..<3_000).map { compare("pages", .equal, .integer(Int64($0))) })
        #expect(store.pushdown(for: StoreQuery(entity: book, predicate: wide)).residual == nil)
        _ = try store.snapshot().count(StoreQuery(entity: book, predicate: wide))
        try store.close()
    }
}
