import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenLMDB

/// What is copied of the rows that a query looks at.
@Suite struct QueryRunTests {
    let folder = TemporaryFolder()

    private func open(_ name: String = "samples.lmdb") throws -> LMDBStore {
        let description = PersistentStoreDescription.lmdb(folder.file(name)).durability(.relaxed)
        return try StoreOpening(description).open(model: Samples.model)
    }

    /// Rows whose `plain` counts up and whose `bytes` take so many bytes.
    private func fill(_ store: LMDBStore, _ count: Int, bytes: Int = 16) throws {
        try store.insert(
            "Sample",
            all: (0..<count).map { number in
                [
                    "plain": .integer(Int64(number)), "whole": .integer(Int64(count - number)),
                    "bytes": .binary(Data(repeating: UInt8(number % 251), count: bytes)),
                ]
            })
    }

    private func batches(_ store: LMDBStore, _ query: StoreQuery) throws -> [RowBatch] {
        let cursor = try store.snapshot().cursor(query)
        var batches: [RowBatch] = []
        while let batch = try cursor.next(maximumRows: 512) { batches.append(batch) }
        return batches
    }

    /// Every hundredth row.
    private var some: FetchPredicate {
        compare("plain", .isIn, (0..<100).map { .integer(Int64($0) * 100) })
    }

    @Test func aBatchOfResultsHoldsNothingElse() throws {
        let store = try open()
        try fill(store, 5_000)
        for sort in [[], [FetchSortDescriptor("whole")]] {
            let query = try store.query("Sample", some, sort: sort)
            let found = try batches(store, query)
            // 4,096 rows are looked at for the first; sorted rows come together.
            #expect(found.map(\.count) == (sort.isEmpty ? [41, 9] : [50]))
            let layout = Samples.model.entities[0].layout
            for batch in found {
                let bytes = batch.reduce(0) { $0 + ($1.packedByteCount(layout: layout) + 7) & ~7 }
                #expect(batch.storage.byteCount <= bytes + 256)
            }
        }
        try store.close()
    }

    @Test func resultsThatFillABatchComeInSeveral() throws {
        let store = try open()
        try fill(store, 12, bytes: 3 << 20)
        let odd = FetchPredicate.not(compare("plain", .equal, .integer(5)))
        for sort in [[], [FetchSortDescriptor("exact")]] {
            let found = try batches(store, try store.query("Sample", odd, sort: sort))
            #expect(found.map(\.count) == [3, 3, 3, 2])
            #expect(found.joined().map(\.key) == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12])
        }
        try store.close()
    }

    @Test func theWindowCountsResultsOnly() throws {
        let store = try open()
        try fill(store, 1_000)
        let late = compare("plain", .greaterOrEqual, .integer(700))
        for (offset, limit) in [(0, nil), (0, 1), (3, 70), (63, 2), (299, 5), (300, 5)] {
            var query = try store.query("Sample", late, offset: offset, limit: limit)
            let expected = (701...1_000).dropFirst(offset).prefix(limit ?? .max).map { Int64($0) }
            #expect(try batches(store, query).joined().map(\.key) == expected)
            let snapshot = try store.snapshot()
            #expect(try snapshot.objectIDs(query).map(\.key) == expected)
            #expect(try snapshot.count(query) == expected.count)
            // In an order that no index has.
            query.sortDescriptors = [FetchSortDescriptor("real")]
            #expect(try batches(store, query).joined().map(\.key) == expected)
            #expect(try snapshot.objectIDs(query).map(\.key) == expected)
            #expect(try snapshot.count(query) == expected.count)
        }
        try store.close()
    }

    @Test func onlySlotsThatAreAskedForAreCopied() throws {
        let store = try open()
        try fill(store, 200, bytes: 1_000)
        let entity = Samples.model.entities[0]
        guard case .attribute(let plain)? = entity.property(named: "plain") else {
            Issue.record("no attribute")
            return
        }
        for predicate in [nil, compare("plain", .less, .integer(150))] {
            var query = try store.query("Sample", predicate)
            var slots = SlotSet()
            slots.insert(plain.slot)
            query.slots = slots
            let found = try batches(store, query)
            let rows = found.flatMap { $0 }
            #expect(rows.map { $0.integer(plain.slot) } == (0..<Int64(rows.count)).map { $0 })
            #expect(rows.count == (predicate == nil ? 200 : 150))
            #expect(found.allSatisfy { $0.storage.byteCount < $0.count * 500 })
        }
        try store.close()
    }

    @Test func aSortedWalkGoesOnAfterALaterSave() throws {
        let store = try open()
        try fill(store, 2_000)
        let query = try store.query(
            "Sample", compare("plain", .less, .integer(1_500)),
            sort: [FetchSortDescriptor("whole", ascending: false)])
        let cursor = try store.snapshot().cursor(query)
        var keys = try #require(try cursor.next(maximumRows: 10)).map(\.key)
        // Writes new pages, of which none is one of the walk's.
        try fill(store, 2_000)
        while let batch = try cursor.next(maximumRows: 512) { keys += batch.map(\.key) }
        #expect(keys == Array(1...1_500))
        try store.close()
    }

    @Test func aQueryIsBoundOnlyWhenTheStoreTakesIt() throws {
        let store = try open()
        try fill(store, 10)
        let late = compare("plain", .greaterOrEqual, .integer(7))
        for sort in [[], [FetchSortDescriptor("whole")], [FetchSortDescriptor("plain")]] {
            let split = store.pushdown(for: try store.query("Sample", late, sort: sort, limit: 9))
            let question = try #require(split.prepared.preparation as? Question)
            let snapshot = try store.snapshot()
            #expect(try snapshot.question(split.prepared) === question)
            #expect(question.query == split.pushed)
            // No index has the order of `plain`.
            #expect(split.needsSorting == (sort.first?.keyPath == ["plain"]))
            #expect((question.order == nil) == question.query.sortDescriptors.isEmpty)
            // What was prepared is no part of the question.
            #expect(split.prepared == PreparedQuery(split.pushed))
            #expect(try snapshot.question(PreparedQuery(split.pushed)) !== question)
            #expect(try snapshot.count(split.prepared) == 3)
        }
        try store.close()
    }

    @Test func whatAnotherStorePreparedIsNotUsed() throws {
        let (first, second) = (try open(), try open("other.lmdb"))
        try fill(first, 10)
        let late = compare("plain", .greaterOrEqual, .integer(7))
        let prepared = first.pushdown(for: try first.query("Sample", late)).prepared
        let snapshot = try second.snapshot()
        #expect(try snapshot.question(prepared) !== prepared.preparation as? Question)
        #expect(try snapshot.count(prepared) == 0)
        try first.close()
        try second.close()
    }
}
