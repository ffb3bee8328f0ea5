import DuramenModel
import DuramenStore
import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct PoolTests {
    private static let soon = 20.0

    @Test func aConnectionThatIsGivenBackIsUsedAgain() throws {
        let pool = ConnectionPool(try TestServer.settings(), limit: 3)
        let first = try pool.take(within: Deadline(seconds: Self.soon))
        pool.give(back: first)
        let second = try pool.take(within: Deadline(seconds: Self.soon))
        #expect(first === second)
        #expect(pool.count == 1)
        pool.give(back: second)
    }

    @Test func aPoolWithoutAFreeConnectionIsExhausted() throws {
        let ended = Atomic<Int>(0)
        let pool = ConnectionPool(try TestServer.settings(), limit: 2) {
            ended.add(1, ordering: .relaxed)
        }
        let taken = [
            try pool.take(within: Deadline(seconds: Self.soon)),
            try pool.take(within: Deadline(seconds: Self.soon)),
        ]
        let code = storeErrorCode { try pool.take(within: Deadline(seconds: 0.1)) }
        #expect(code == .readersExhausted)
        #expect(ended.load(ordering: .relaxed) == 1)
        taken.forEach { pool.give(back: $0) }
        #expect(pool.idleCount == 2)
    }

    @Test func whoWaitsGetsTheConnectionThatIsGivenBack() throws {
        let isAboutToWait = DispatchSemaphore(value: 0)
        let pool = ConnectionPool(try TestServer.settings(), limit: 1) { isAboutToWait.signal() }
        let taken = try pool.take(within: Deadline(seconds: Self.soon))
        Thread.detachNewThread {
            isAboutToWait.wait()
            pool.give(back: taken)
        }
        #expect(try pool.take(within: Deadline(seconds: Self.soon)) === taken)
    }

    @Test func overdueSnapshotsAreEndedBeforeAnybodyWaits() throws {
        let held = Locked<Connection?>(nil)
        let given = Locked<ConnectionPool?>(nil)
        let pool = ConnectionPool(try TestServer.settings(), limit: 1) {
            let connection = held.withLock { $0.take() }
            if let connection { given.withLock { $0?.give(back: connection) } }
        }
        given.withLock { $0 = pool }
        let taken = try pool.take(within: Deadline(seconds: Self.soon))
        held.withLock { $0 = taken }
        #expect(try pool.take(within: Deadline(seconds: 0)) === taken)
        given.withLock { $0 = nil }
    }

    @Test func anOpenTransactionIsRolledBackWithItsConnection() throws {
        let pool = ConnectionPool(try TestServer.settings())
        let first = try pool.take(within: Deadline(seconds: Self.soon))
        _ = try first.run(Statement("BEGIN"))
        pool.give(back: first)
        let second = try pool.take(within: Deadline(seconds: Self.soon))
        #expect(first === second)
        _ = try second.run(Statement("SELECT 1"))
        #expect(!second.isInTransaction)
    }

    @Test func brokenAndDroppedConnectionsAreReplaced() throws {
        let pool = ConnectionPool(try TestServer.settings(), limit: 2)
        let broken = try pool.take(within: Deadline(seconds: Self.soon))
        broken.close()
        pool.give(back: broken)
        #expect(pool.count == 0)
        let (idle, used) = (
            try pool.take(within: Deadline(seconds: Self.soon)),
            try pool.take(within: Deadline(seconds: Self.soon))
        )
        pool.give(back: idle)
        pool.drop()
        #expect(idle.isBroken)
        #expect(!used.isBroken)
        pool.give(back: used)
        #expect(used.isBroken)
        #expect(pool.count == 0)
    }

    @Test func aConnectionThatTheServerEndedIsReplaced() throws {
        let pool = ConnectionPool(try TestServer.settings())
        let first = try pool.take(within: Deadline(seconds: Self.soon))
        let number = try #require(
            try first.run(Statement("SELECT pg_backend_pid()")).int64(0, 0))
        pool.give(back: first)
        let other = try TestServer.connection()
        _ = try other.run(
            Statement("SELECT pg_terminate_backend($1::int, 10000)"),
            [.integer(Int32(truncatingIfNeeded: number))])
        let second = try pool.take(within: Deadline(seconds: Self.soon))
        #expect(second !== first)
        #expect(try second.run(Statement("SELECT 1")).int64(0, 0) == 1)
        #expect(pool.count == 1)
    }

    @Test func connectionsThatNobodyUsesAreClosed() throws {
        let pool = ConnectionPool(try TestServer.settings(), idleSeconds: 0)
        let taken = try (0..<3).map { _ in try pool.take(within: Deadline(seconds: Self.soon)) }
        taken.forEach { pool.give(back: $0) }
        let fresh = try pool.take(within: Deadline(seconds: Self.soon))
        #expect(taken.allSatisfy { $0 !== fresh })
        #expect(pool.count == 1)
    }

    @Test func connectionsAreClosedEvenIfNobodyUsesThePoolAnyMore() throws {
        let pool = ConnectionPool(try TestServer.settings(), idleSeconds: 0.05)
        let taken = try (0..<3).map { _ in try pool.take(within: Deadline(seconds: Self.soon)) }
        taken.dropLast().forEach { pool.give(back: $0) }
        #expect(eventually { pool.count == 1 })
        #expect(!taken[2].isBroken)
        pool.give(back: taken[2])
        #expect(eventually { pool.count == 0 })
    }

    @Test func aClosedPoolGivesNoConnections() throws {
        let pool = ConnectionPool(try TestServer.settings())
        let taken = try pool.take(within: Deadline(seconds: Self.soon))
        pool.close()
        #expect(storeErrorCode { try pool.take(within: Deadline(seconds: 1)) } == .closed)
        #expect(try taken.run(Statement("SELECT 1")).int64(0, 0) == 1)
        pool.give(back: taken)
        #expect(taken.isBroken)
    }

    @Test func manyThreadsShareFewConnections() throws {
        let pool = ConnectionPool(try TestServer.settings(), limit: 3)
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            do {
                let connection = try pool.take(within: Deadline(seconds: 60))
                let result = try connection.run(
                    Statement("SELECT $1::bigint"), [.bigint(Int64(number))])
                if result.int64(0, 0) != Int64(number) { failures.add(1, ordering: .relaxed) }
                pool.give(back: connection)
            } catch { failures.add(1, ordering: .relaxed) }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(pool.count <= 3)
        #expect(pool.idleCount == pool.count)
    }

    @Test func aServerThatIsNotThereTakesNoPlaceInThePool() throws {
        let settings = try ConnectionSettings.parse("host=/tmp/nothing-here").settings
        let pool = ConnectionPool(settings, limit: 1)
        for _ in 0..<3 {
            let code = storeErrorCode { try pool.take(within: Deadline(seconds: 1)) }
            #expect(code == .storeUnavailable)
        }
        #expect(pool.count == 0)
    }
}
