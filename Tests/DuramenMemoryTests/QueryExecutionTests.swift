import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// The core's part of a query, over a store that leaves it almost everything.
@Suite struct QueryExecutionTests {
    private let discs: Discs

    init() throws { discs = try Discs(.memory().walking) }

    private var driver: StoreDriver { discs.driver }

    @Test func aWholeQueryStreamsAndStopsWhenAsked() throws {
        let execution = try discs.execution(driver.query("Disc"))
        #expect(execution.isStreaming)
        var sizes: [Int] = []
        try execution.forEachBatch(maximumRows: 300) { batch in
            sizes.append(batch.count)
            return sizes.count < 3
        }
        #expect(sizes == [300, 300, 300])
        #expect(try execution.rows().count == 1_000)
    }

    @Test func aLimitWithoutOrderReadsNoMoreThanItNeeds() throws {
        var query = driver.query("Disc", where: .keyPath("rank", .greaterOrEqual, .integer(0)))
        query.limit = 10
        let before = driver.store.counters.rowsDecoded
        #expect(try discs.execution(query).rows().count == 10)
        #expect(driver.store.counters.rowsDecoded - before == 512)
    }

    @Test func aCountSortsNothingAndReadsNothingWhenNothingIsLeft() throws {
        var query = driver.query("Disc", sortedBy: [FetchSortDescriptor("rank")])
        query.offset = 990
        query.limit = 50
        let before = driver.store.counters.rowsDecoded
        #expect(try discs.execution(query).count() == 10)
        #expect(driver.store.counters.rowsDecoded == before)
    }

    @Test func rowsAreSortedAndThenCut() throws {
        var query = driver.query(
            "Disc", where: .keyPath("rank", .less, .integer(500)),
            sortedBy: [FetchSortDescriptor("rank", ascending: false)])
        query.offset = 2
        query.limit = 3
        #expect(try discs.ranks(query) == [.integer(497), .integer(496), .integer(495)])
    }

    @Test func aRaisedFlagEndsTheWork() throws {
        let flag = CancellationFlag()
        var query = driver.query("Disc", where: .keyPath("rank", .greaterOrEqual, .integer(0)))
        query.cancellation = flag
        let running = try discs.execution(query)
        #expect(try running.count() == 1_000)
        flag.cancel()
        for work in [
            { _ = try running.rows() }, { _ = try running.objectIDs() },
            { _ = try running.count() },
        ] {
            #expect(storeErrorCode(work) == .cancelled)
        }
    }

    @Test func whatDoesNotFitIsRefusedWithTheMessageOfThePredicate() throws {
        let query = driver.query("Disc", where: .keyPath("weight", .equal, .integer(1)))
        #expect { try discs.execution(query) } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .invalidRequest && error.message.contains("weight")
                && error.message.contains("Disc")
        }
        var negative = driver.query("Disc")
        negative.offset = -1
        #expect(throws: StoreError.self) { try discs.execution(negative) }
    }

    @Test func relatedRowsAreReadOnceEach() throws {
        let query = try discs.addShelf()
        let before = driver.store.counters.rowsDecoded
        #expect(try discs.execution(query).rows().count == 50)
        #expect(driver.store.counters.rowsDecoded - before == 51)
    }
}
