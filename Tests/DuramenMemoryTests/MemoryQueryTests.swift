import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// What the memory store takes of a query, and what it reads for it.
@Suite struct MemoryQueryTests {
    private let discs: Discs
    private let ranks = FetchPredicate.keyPath("rank", .less, .integer(10))

    init() throws { discs = try Discs(.memory()) }

    private var driver: StoreDriver { discs.driver }

    /// What some work gives, and how many rows were copied for it.
    private func counted(_ work: () throws -> Int) rethrows -> [Int] {
        let before = driver.store.counters.rowsDecoded
        let result = try work()
        return [result, driver.store.counters.rowsDecoded - before]
    }

    @Test func conditionOrderAndWindowAreTakenTogether() throws {
        var query = driver.query(
            "Disc", where: ranks, sortedBy: [FetchSortDescriptor("rank", ascending: false)])
        query.offset = 2
        query.limit = 3
        let split = driver.store.pushdown(for: query)
        #expect(split.pushed == query)
        #expect(split.residual == nil && !split.needsSorting && !split.needsWindow)
        #expect(try discs.ranks(query) == [.integer(7), .integer(6), .integer(5)])
    }

    @Test func onlyResultsAreCopied() throws {
        var query = driver.query("Disc", where: ranks)
        #expect(try counted { try discs.execution(query).rows().count } == [10, 10])
        query.sortDescriptors = [FetchSortDescriptor("rank")]
        query.offset = 1
        query.limit = 4
        #expect(try counted { try discs.execution(query).rows().count } == [4, 4])
    }

    @Test func countsAndIDsCopyNothing() throws {
        var query = driver.query("Disc", where: ranks, sortedBy: [FetchSortDescriptor("rank")])
        query.offset = 4
        #expect(try counted { try discs.execution(query).count() } == [6, 0])
        #expect(try counted { try discs.execution(query).objectIDs().count } == [6, 0])
        query.limit = 5
        #expect(try discs.execution(query).count() == 5)
    }

    @Test func relatedRowsAreLookedAtWhereTheyLie() throws {
        let query = try discs.addShelf()
        let statements = driver.store.counters.statements
        #expect(try counted { try discs.execution(query).rows().count } == [50, 50])
        #expect(driver.store.counters.statements == statements + 1)
    }

    @Test func aCursorEndsAtItsLimitWhateverIsAskedForAtOnce() throws {
        var query = driver.query("Disc", where: ranks)
        query.offset = 2
        query.limit = 7
        for maximum in [1, 3, 7, 512] {
            let cursor = try driver.store.snapshot().cursor(query)
            var sizes: [Int] = []
            while let batch = try cursor.next(maximumRows: maximum) { sizes.append(batch.count) }
            #expect(sizes.reduce(0, +) == 7)
            #expect(sizes.allSatisfy { $0 <= maximum })
        }
    }

    @Test func aRaisedFlagEndsTheWork() throws {
        let flag = CancellationFlag()
        var query = driver.query("Disc", where: ranks, sortedBy: [FetchSortDescriptor("rank")])
        query.cancellation = flag
        let running = try discs.execution(query)
        let cursor = try driver.store.snapshot().cursor(query)
        #expect(try running.count() == 10)
        flag.cancel()
        for work in [
            { _ = try running.rows() }, { _ = try running.objectIDs() },
            { _ = try running.count() }, { _ = try cursor.next(maximumRows: 1) },
        ] {
            #expect(storeErrorCode(work) == .cancelled)
        }
    }

    @Test func whatDoesNotFitIsLeftForTheLibraryToRefuse() throws {
        let wrong = FetchPredicate.keyPath("weight", .equal, .integer(1))
        for predicate in [wrong, .and([ranks, wrong])] {
            let query = driver.query("Disc", where: predicate)
            let split = driver.store.pushdown(for: query)
            #expect(split.residual == predicate)
            #expect(split.pushed.predicate == nil)
            #expect { try discs.execution(query) } throws: { error in
                guard let error = error as? StoreError else { return false }
                return error.code == .invalidRequest && error.message.contains("weight")
            }
            var pushed = split.pushed
            pushed.predicate = predicate
            let given = pushed
            #expect(
                storeErrorCode { try driver.store.snapshot().cursor(given) } == .invalidRequest)
        }
        let order = driver.query("Disc", sortedBy: [FetchSortDescriptor("weight")])
        #expect(driver.store.pushdown(for: order).needsSorting)
        #expect(storeErrorCode { try discs.execution(order) } == .invalidRequest)
    }

    @Test func rowsOfOtherEntitiesOfTheTableAreNoResults() throws {
        var draft = driver.draft()
        for _ in 0..<100 { try draft.insert("Novel", ["rank": .integer(1)]) }
        try driver.commit(draft)
        let rankOne = FetchPredicate.keyPath("rank", .equal, .integer(1))
        #expect(try discs.execution(driver.query("Item", where: rankOne)).count() == 101)
        #expect(try discs.execution(driver.query("Disc", where: rankOne)).count() == 1)
        var query = driver.query("Novel")
        #expect(try discs.execution(query).count() == 100)
        query.offset = 90
        #expect(try discs.execution(query).objectIDs().count == 10)
    }
}
