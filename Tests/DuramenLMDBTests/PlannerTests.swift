import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// Which way to the rows is taken, and how many entries it looks at.
@Suite struct PlannerTests {
    let folder = TemporaryFolder()

    /// A plan, without what only the engine understands.
    enum Plan: Equatable, Sendable {
        case keys([Int64])
        case table
        /// The properties of the index, and how many entries its ranges hold.
        case byKey(String, entries: Int)
        case ordered(String, entries: Int, isReversed: Bool)
    }

    private func open() throws -> LMDBStore {
        let description = PersistentStoreDescription.lmdb(folder.file()).durability(.relaxed)
        return try StoreOpening(description).open(model: Samples.model)
    }

    /// 1,000 rows: `whole` counts up, `group` has 100 values, `flag` one, every tenth `text` is
    /// null.
    private func fill(_ store: LMDBStore) throws {
        try store.insert(
            "Sample",
            all: (0..<1_000).map { number in
                var values: [String: StoredValue] = [
                    "whole": .integer(Int64(number)), "group": .integer(Int64(number % 100)),
                    "real": .double(Double(number)), "flag": .boolean(true),
                    "plain": .integer(Int64(number)),
                    "exact": .decimal(.init(number / 100)),
                ]
                if number % 10 != 0 { values["text"] = .text(StoredText("word \(number % 50)")) }
                return values
            })
    }

    private func plan(_ store: LMDBStore, _ query: StoreQuery) throws -> Plan {
        let snapshot = try store.snapshot()
        let question = try Question(query, schema: snapshot.schema)
        return try snapshot.withRows { (rows) throws(StoreError) -> Plan in
            let numbers = try snapshot.indexNumbers(rows)
            let plan = try QueryPlanner(question: question, rows: rows, numbers: numbers).plan()
            func name(_ ranges: [KeyRange]) -> String {
                // Ranges begin with the number of their index.
                let number = ranges.first.map {
                    $0.lower.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                }
                let place = numbers.firstIndex { $0 == number && number != nil }
                return place.map {
                    snapshot.schema.indexes[$0].parts.map(\.name).joined(separator: ",")
                } ?? "nothing"
            }
            switch plan {
            case .keys(let keys): return .keys(keys)
            case .table: return .table
            case .index(_, let ranges, .byKey):
                let count = try IndexWalk.allKeys(ranges, rows).count
                return .byKey(name(ranges), entries: count)
            case .index(_, let ranges, .asAsked(let isReversed)):
                let count = try IndexWalk.allKeys(ranges, rows).count
                return .ordered(name(ranges), entries: count, isReversed: isReversed)
            }
        }
    }

    private func check(
        _ predicate: FetchPredicate?, sort: [FetchSortDescriptor] = [], limit: Int? = nil,
        _ expected: Plan, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let store = try open()
        if try store.snapshot().count(store.query("Sample")) == 0 { try fill(store) }
        let query = try store.query("Sample", predicate, sort: sort, limit: limit)
        let found = try plan(store, query)
        #expect(found == expected, sourceLocation: location)
        try store.close()
    }

    @Test("Equality, ranges, beginnings and lists look at the entries that they name")
    func conditions() throws {
        try check(compare("whole", .equal, .integer(7)), .byKey("whole", entries: 1))
        try check(compare("whole", .less, .integer(20)), .byKey("whole", entries: 20))
        try check(compare("whole", .lessOrEqual, .integer(20)), .byKey("whole", entries: 21))
        try check(compare("whole", .greater, .integer(980)), .byKey("whole", entries: 19))
        try check(
            compare("whole", .between, [.integer(10), .integer(15)]), .byKey("whole", entries: 6))
        try check(
            .and([
                compare("whole", .greaterOrEqual, .integer(5)),
                compare("whole", .less, .integer(9)),
            ]), .byKey("whole", entries: 4))
        try check(
            compare("whole", .isIn, [.integer(3), .integer(900), .integer(3), .integer(-1)]),
            .byKey("whole", entries: 2))
        try check(compare("text", .beginsWith, .text("word 4")), .table)
        try check(compare("text", .beginsWith, .text("word 41")), .byKey("text", entries: 20))
        try check(compare("text", .equal, .null), .byKey("text", entries: 100))
        try check(compare("whole", .greater, .integer(5_000)), .byKey("whole", entries: 0))
    }

    @Test("What names more entries than a walk through the table costs falls back to it")
    func wideRanges() throws {
        try check(compare("whole", .greater, .integer(100)), .table)
        try check(compare("flag", .equal, .boolean(true)), .table)
        try check(compare("plain", .equal, .integer(1)), .table)
        try check(nil, .table)
        try check(.not(compare("whole", .equal, .integer(1))), .table)
        try check(
            .or([compare("whole", .equal, .integer(1)), compare("whole", .equal, .integer(2))]),
            .table)
        try check(compare("text", .notEqual, .null), .table)
        try check(compare("whole", .equal, .double(0.5)), .table)
    }

    @Test("Of two conditions, the more selective one is looked up")
    func selectivity() throws {
        let wide = compare("group", .equal, .integer(3))
        try check(
            .and([wide, compare("whole", .equal, .integer(3))]), .byKey("whole", entries: 1))
        try check(
            .and([compare("whole", .less, .integer(50)), wide]), .byKey("group,exact", entries: 10))
        try check(
            .and([compare("flag", .equal, .boolean(true)), wide]),
            .byKey("group,exact", entries: 10))
    }

    @Test("A compound index is used as far as its first properties are fixed")
    func compound() throws {
        try check(
            .and([compare("group", .equal, .integer(3)), compare("exact", .greater, .decimal(6))]),
            .byKey("group,exact", entries: 3))
        try check(
            .and([
                compare("group", .equal, .integer(3)),
                compare("text", .beginsWith, .text("word 3")),
            ]), .byKey("group,exact", entries: 10))
        try check(
            .and([compare("group", .equal, .integer(3)), compare("exact", .equal, .integer(2))]),
            .byKey("group,exact", entries: 1))
    }

    @Test("An order with a limit walks its index, in both directions")
    func order() throws {
        let up = [FetchSortDescriptor("whole")]
        let down = [FetchSortDescriptor("whole", ascending: false)]
        try check(nil, sort: up, limit: 5, .ordered("whole", entries: 1_000, isReversed: false))
        try check(nil, sort: down, limit: 5, .ordered("whole", entries: 1_000, isReversed: true))
        try check(nil, sort: up, .table)
        try check(
            compare("plain", .equal, .integer(1)), sort: up, limit: 1,
            .ordered("whole", entries: 1_000, isReversed: false))
        try check(
            compare("whole", .less, .integer(100)), sort: down, limit: 5,
            .ordered("whole", entries: 100, isReversed: true))
        try check(
            compare("group", .equal, .integer(3)), sort: [FetchSortDescriptor("exact")],
            .ordered("group,exact", entries: 10, isReversed: false))
        // A short list is sorted sooner than a long index is walked through.
        try check(
            compare("group", .equal, .integer(3)), sort: up, limit: 5,
            .byKey("group,exact", entries: 10))
    }

    @Test("Orders that the index does not have are sorted")
    func otherOrders() throws {
        try check(
            nil,
            sort: [FetchSortDescriptor("whole"), FetchSortDescriptor("text", ascending: false)],
            limit: 5, .table)
        try check(
            nil, sort: [FetchSortDescriptor("text", comparison: .caseInsensitive)], limit: 5, .table
        )
        try check(nil, sort: [FetchSortDescriptor("plain")], limit: 5, .table)
        try check(
            nil, sort: [FetchSortDescriptor("text"), FetchSortDescriptor("whole")], limit: 5,
            .ordered("text,whole", entries: 1_000, isReversed: false))
    }

    @Test("Objects asked for by identity are looked up by their keys, each once")
    func identity() throws {
        let store = try open()
        try fill(store)
        let ids = [9, 4, 9].map {
            ManagedObjectID(
                store: store.handle, entity: Samples.model.entities[0].handle, key: $0)
        }
        let list = FetchPredicate.comparison(
            PredicateComparison(.selfObject, .isIn, .list(ids.map { .objectID($0) })))
        #expect(try plan(store, store.query("Sample", list)) == .keys([4, 9]))
        #expect(try store.keys(store.query("Sample", list)) == [4, 9])
        try store.close()
    }

    @Test("Few rows leave the engine for a selective question, whatever the number of rows")
    func rowsDecoded() throws {
        let store = try open()
        try fill(store)
        func decoded(_ query: StoreQuery) throws -> Int {
            let before = store.counters.rowsDecoded
            _ = try store.keys(query)
            return store.counters.rowsDecoded - before
        }
        #expect(try decoded(store.query("Sample", compare("whole", .equal, .integer(7)))) == 1)
        #expect(
            try decoded(
                store.query(
                    "Sample", sort: [FetchSortDescriptor("whole", ascending: false)], offset: 3,
                    limit: 4)) == 4)
        #expect(try decoded(store.query("Sample", compare("plain", .equal, .integer(7)))) == 1)
        try store.close()
    }
}
