import DuramenQuery
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct EndingTests {
    private static let sleep = Statement("SELECT pg_sleep(60)")

    @Test func aCancelledRunEndsSoonAndItsConnectionIsClosed() throws {
        let connection = try TestServer.connection()
        let number = try Self.backend(connection)
        let flag = CancellationFlag()
        let raised = Self.raise(flag, whenRunning: number)
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(Self.sleep, [], RunLimits(cancellation: flag))
        }
        // The bound is 200 ms on a machine that does nothing else.
        #expect(ContinuousClock.now - raised.wait() < .seconds(1))
        #expect(failure?.storeError(connection.place, during: "read").code == .cancelled)
        #expect(connection.isBroken)
        try Self.expectGone(number)
    }

    @Test func aRaisedFlagSendsNothing() throws {
        let counters = StoreCounters()
        let connection = try TestServer.connection(counters: counters)
        let flag = CancellationFlag()
        flag.cancel()
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(
                Statement("SELECT 1"), [], RunLimits(cancellation: flag, commits: true))
        }
        #expect(failure?.cause == .cancelled)
        #expect(failure?.isOutcomeUnknown == false)
        #expect(counters.trips == 0)
        #expect(!connection.isBroken)
    }

    @Test func aCommitIsNotCancelled() throws {
        let (connection, holder) = (try TestServer.connection(), try TestServer.connection())
        let flag = CancellationFlag()
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add("SELECT pg_advisory_xact_lock(78, 78)")
        _ = try holder.run(pipeline)
        let raised = Self.raise(flag, whenRunning: try Self.backend(connection)) {
            // The flag is looked at every 20 ms, and the wait ends after that.
            _ = try? holder.run(Statement("SELECT pg_sleep(0.1)"))
            holder.sendRollback()
        }
        pipeline.add("COMMIT")
        let results = try connection.run(pipeline, RunLimits(cancellation: flag, commits: true))
        _ = raised.wait()
        #expect(results.count == 3)
        #expect(flag.isCancelled)
    }

    @Test func aPassedDeadlineEndsARead() throws {
        let connection = try TestServer.connection()
        let began = ContinuousClock.now
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(Self.sleep, [], RunLimits(deadline: Deadline(seconds: 0.2)))
        }
        #expect(ContinuousClock.now - began < .seconds(2))
        #expect(failure?.storeError(connection.place, during: "read").code == .storeBusy)
        #expect(connection.isBroken)
    }

    @Test func aPassedDeadlineDuringACommitLeavesTheOutcomeUnknown() throws {
        let connection = try TestServer.connection()
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add("SELECT pg_sleep(3)")
        pipeline.add("COMMIT")
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(
                pipeline, RunLimits(deadline: Deadline(seconds: 0.2), commits: true))
        }
        #expect(failure?.isOutcomeUnknown == true)
        #expect(failure?.storeError(connection.place, during: "save to").code == .unknownOutcome)
    }

    @Test func aTerminatedBackendIsUnavailable() throws {
        let (connection, other) = (try TestServer.connection(), try TestServer.connection())
        try Self.terminate(try Self.backend(connection), by: other)
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(Statement("SELECT 1"))
        }
        #expect(failure?.isConnectionLost == true)
        #expect(
            failure?.storeError(connection.place, during: "read").code == .storeUnavailable)
        #expect(connection.isBroken)
        let again = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(Statement("SELECT 1"))
        }
        #expect(again?.isConnectionLost == true)
    }

    @Test func aBackendThatIsTerminatedDuringASaveLeavesTheOutcomeUnknown() throws {
        let (connection, other) = (try TestServer.connection(), try TestServer.connection())
        let number = try Self.backend(connection)
        Thread.detachNewThread {
            Self.waitUntilRunning(number)
            try? Self.terminate(number, by: other)
        }
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add("SELECT pg_sleep(30)")
        pipeline.add("COMMIT")
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(pipeline, RunLimits(commits: true))
        }
        #expect(failure?.isOutcomeUnknown == true)
        #expect(failure?.sqlState == "57P01")
    }

    @Test func aConnectionThatEndedUnusedHasNotCommitted() throws {
        let (connection, other) = (try TestServer.connection(), try TestServer.connection())
        try Self.terminate(try Self.backend(connection), by: other)
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add("COMMIT")
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(pipeline, RunLimits(commits: true))
        }
        #expect(failure?.cause == .connectionLost)
        #expect(failure?.isOutcomeUnknown == false)
        #expect(failure?.sqlState == "57P01")
    }

    @Test func aTransactionThatDoesNothingForTooLongIsAnExpiredSnapshot() throws {
        var settings = try TestServer.settings()
        settings.idleInTransactionSeconds = 0.1
        let connection = try Connection(settings, within: Deadline(seconds: 20))
        let number = try Self.backend(connection)
        _ = try connection.run(Statement("BEGIN"))
        try Self.expectGone(number)
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try connection.run(Statement("SELECT 1"))
        }
        #expect(failure?.sqlState == "25P03")
        #expect(
            failure?.storeError(connection.place, during: "read").code == .snapshotExpired)
    }

    @Test func aLockThatOthersHoldIsBusy() throws {
        var settings = try TestServer.settings()
        settings.lockTimeoutSeconds = 0.1
        let holder = try TestServer.connection()
        let waiter = try Connection(settings, within: Deadline(seconds: 20))
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add("SELECT pg_advisory_xact_lock(77, 77)")
        _ = try holder.run(pipeline)
        let failure = RunningTests.failure { () throws(PostgresFailure) in
            _ = try waiter.run(pipeline)
        }
        #expect(failure?.sqlState == "55P03")
        #expect(failure?.storeError(waiter.place, during: "save to").code == .storeBusy)
        holder.sendRollback()
        waiter.sendRollback()
        #expect(try waiter.run(pipeline).count == 2)
    }

    @Test func aNotificationWakesWhoListens() throws {
        let (listener, other) = (try TestServer.connection(), try TestServer.connection())
        _ = try listener.run(Statement("LISTEN engine_test", prepared: false))
        #expect(listener.waitForNotices(seconds: 0.05).isEmpty)
        _ = try other.run(Statement("SELECT pg_notify('engine_test', '')"))
        #expect(!listener.waitForNotices(seconds: 20).isEmpty)
        #expect(listener.waitForNotices(seconds: 0.05).isEmpty)
        try Self.terminate(try Self.backend(listener), by: other)
        #expect(listener.waitForNotices(seconds: 20).isEmpty)
        #expect(listener.isBroken)
    }

    // MARK: - Steps

    private static func backend(_ connection: Connection) throws -> Int64 {
        try #require(try connection.run(Statement("SELECT pg_backend_pid()")).int64(0, 0))
    }

    private static func terminate(_ number: Int64, by other: Connection) throws {
        _ = try other.run(
            Statement("SELECT pg_terminate_backend($1::int)"),
            [
                .integer(Int32(truncatingIfNeeded: number))
            ])
        try expectGone(number)
    }

    /// Expects that the server's process ends within some seconds.
    private static func expectGone(_ number: Int64) throws {
        let raw = try RawServer()
        let isGone = try eventually {
            try raw.number("SELECT count(*) FROM pg_stat_activity WHERE pid = \(number)") == 0
        }
        #expect(isGone, "the server's process \(number) is still there")
    }

    /// Waits until a process of the server sleeps or waits for a lock within a statement.
    private static func waitUntilRunning(_ number: Int64) {
        guard let raw = try? RawServer() else { return }
        _ = try? eventually {
            try raw.number(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(number) "
                    + "AND state = 'active' AND wait_event IN ('PgSleep', 'advisory')") == 1
        }
    }

    /// Raises a flag while a process of the server runs a statement.
    ///
    /// - Parameters:
    ///   - flag: The flag.
    ///   - number: The process.
    ///   - body: What follows.
    /// - Returns: When it was raised.
    private static func raise(
        _ flag: CancellationFlag, whenRunning number: Int64,
        then body: @escaping @Sendable () -> Void = {}
    ) -> RaisedFlag {
        let raised = RaisedFlag()
        Thread.detachNewThread {
            waitUntilRunning(number)
            raised.record()
            flag.cancel()
            body()
        }
        return raised
    }
}

/// When a flag was raised.
private final class RaisedFlag: @unchecked Sendable {
    // Sound: written before the signal, and read behind it.
    private var instant = ContinuousClock.now
    private let semaphore = DispatchSemaphore(value: 0)

    func record() {
        instant = .now
        semaphore.signal()
    }

    func wait() -> ContinuousClock.Instant {
        semaphore.wait()
        return instant
    }
}
