import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct RunningTests {
    @Test func aPipelineIsOneTrip() throws {
        let counters = StoreCounters()
        let connection = try TestServer.connection(counters: counters)
        var pipeline = Pipeline()
        pipeline.add("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        pipeline.add(Statement("SELECT $1::bigint + 1"), [.bigint(41)])
        pipeline.add("COMMIT")
        for trip in 1...3 {
            let results = try connection.run(pipeline)
            #expect(results.count == 3)
            #expect(results[1].int64(0, 0) == 42)
            #expect(counters.trips == trip)
        }
        #expect(!connection.isInTransaction)
    }

    @Test func aWrongCountAbortsTheWholePipeline() throws {
        let connection = try TestServer.connection()
        let marker = "value4711"
        _ = try connection.run(Statement("CREATE TEMP TABLE t (a bigint, b text)"))
        var pipeline = Pipeline()
        pipeline.add("BEGIN")
        pipeline.add(
            Statement("INSERT INTO pg_temp.t VALUES ($1::bigint, $2::text)"),
            [.bigint(1), .text(marker)])
        pipeline.add(
            Statement("SELECT 1/(count(*) = $1::bigint)::int FROM pg_temp.t"), [.bigint(2)])
        pipeline.add("COMMIT")
        let failure = Self.failure { () throws(PostgresFailure) in
            _ = try connection.run(pipeline, RunLimits(commits: true))
        }
        #expect(failure?.statement == 2)
        #expect(failure?.sqlState == "22012")
        #expect(failure?.isOutcomeUnknown == false)
        #expect(failure?.isConnectionLost == false)
        #expect(connection.isInFailedTransaction)
        connection.sendRollback()
        #expect(
            try connection.run(Statement("SELECT count(*) FROM pg_temp.t")).int64(0, 0) == 0)
    }

    @Test func theCommitOfAFailedTransactionFails() throws {
        let connection = try TestServer.connection()
        _ = try connection.run(Statement("BEGIN"))
        #expect(Self.state(connection, Statement("SELECT 1/0")) == "22012")
        #expect(Self.state(connection, Statement("COMMIT")) == "25P02")
        #expect(!connection.isInTransaction)
    }

    @Test func noValueIsInAFailure() throws {
        let connection = try TestServer.connection()
        let marker = "value4711"
        _ = try connection.run(Statement("CREATE TEMP TABLE t (a text PRIMARY KEY, b smallint)"))
        let statements: [(Statement, [Parameter])] = [
            (Statement("INSERT INTO pg_temp.t VALUES ($1::text), ($1::text)"), [.text(marker)]),
            (Statement("SELECT $1::text::bigint"), [.text(marker)]),
            (Statement("SELECT '\(marker)' FROM"), []),
        ]
        for (statement, parameters) in statements {
            let failure = Self.failure { () throws(PostgresFailure) in
                _ = try connection.run(statement, parameters)
            }
            let error = failure?.storeError(connection.place, during: "save to")
            #expect(error.map { "\($0)".contains(marker) } == false)
        }
    }

    @Test func partsBetweenSyncsFailByThemselves() throws {
        let connection = try TestServer.connection()
        _ = try connection.run(Statement("CREATE TEMP TABLE t (a bigint PRIMARY KEY)"))
        let insert = Statement("INSERT INTO pg_temp.t VALUES ($1::bigint)")
        var pipeline = Pipeline()
        for key in [1, 1, 2] as [Int64] {
            pipeline.addSync()
            pipeline.add(insert, [.bigint(key)])
        }
        let outcome = try connection.runAll(pipeline)
        #expect(outcome.failures.map(\.statement) == [1])
        #expect(outcome.failures.first?.sqlState == "23505")
        #expect(outcome.results.map { $0?.affectedRows } == [1, nil, 1])
    }

    @Test func statementsArePreparedOnceAndTheOldestAreForgotten() throws {
        let connection = try TestServer.connection()
        for number in 0..<300 {
            _ = try connection.run(Statement("SELECT \(number)"))
        }
        let held = Statement("SELECT count(*) FROM pg_prepared_statements", prepared: false)
        #expect(try connection.run(held).int64(0, 0) == Int64(PreparedStatements.limit))
        // Of those that are left, none is prepared again; of the others, one is.
        let pastOnce = Statement(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 299'",
            prepared: false)
        #expect(try connection.run(Statement("SELECT 299")).int64(0, 0) == 299)
        #expect(try connection.run(pastOnce).int64(0, 0) == 1)
        #expect(try connection.run(Statement("SELECT 0")).int64(0, 0) == 0)
    }

    @Test func oneTextTwiceInAPipelineIsPreparedOnce() throws {
        let connection = try TestServer.connection()
        let statement = Statement("SELECT $1::bigint")
        var pipeline = Pipeline()
        pipeline.add(statement, [.bigint(1)])
        pipeline.add(statement, [.bigint(2)])
        pipeline.addSync()
        pipeline.add(statement, [.bigint(3)])
        #expect(try connection.run(pipeline).map { $0.int64(0, 0) } == [1, 2, 3])
        #expect(connection.prepared.count == 1)
    }

    @Test func aFailedPreparationIsNotRemembered() throws {
        let connection = try TestServer.connection()
        let statement = Statement("SELECT a FROM pg_temp.later")
        #expect(Self.state(connection, statement) == "42P01")
        _ = try connection.run(Statement("CREATE TEMP TABLE later (a bigint)"))
        #expect(try connection.run(statement).rowCount == 0)
    }

    @Test func aStatementWhoseTableChangedIsPreparedAgain() throws {
        let connection = try TestServer.connection()
        let statement = Statement("SELECT a FROM pg_temp.t")
        _ = try connection.run(Statement("CREATE TEMP TABLE t (a bigint)", prepared: false))
        _ = try connection.run(statement)
        _ = try connection.run(
            Statement("ALTER TABLE pg_temp.t ALTER a TYPE text", prepared: false))
        #expect(try connection.run(statement).type(ofColumn: 0) == .text)
        _ = try connection.run(Statement("DEALLOCATE ALL", prepared: false))
        #expect(try connection.run(statement).rowCount == 0)
    }

    @Test func largeParametersAndLargeResultsPassEachOther() throws {
        let connection = try TestServer.connection()
        let bytes = [UInt8](repeating: 7, count: 5 << 20)
        var pipeline = Pipeline()
        for _ in 0..<4 {
            pipeline.add(Statement("SELECT $1::bytea"), [.bytea(bytes)])
            pipeline.add("SELECT repeat('x', \(5 << 20))")
        }
        let results = try connection.run(pipeline, RunLimits(deadline: Deadline(seconds: 60)))
        #expect(results.allSatisfy { $0.bytes(0, 0).count == 5 << 20 })
    }

    @Test func aLongPipelineIsRead() throws {
        let connection = try TestServer.connection()
        var pipeline = Pipeline()
        for number in 0..<20_000 {
            pipeline.add(Statement("SELECT $1::bigint"), [.bigint(Int64(number))])
        }
        let results = try connection.run(pipeline)
        #expect(results.enumerated().allSatisfy { $1.int64(0, 0) == Int64($0) })
    }

    @Test func whatIsSentWithoutWaitingIsSkippedByTheNextRun() throws {
        let connection = try TestServer.connection()
        let locks = Statement("SELECT pg_advisory_xact_lock(99, 1)")
        var end = Pipeline()
        end.add("COMMIT")
        for _ in 0..<20 {
            var begin = Pipeline()
            begin.add("BEGIN")
            begin.add(locks)
            #expect(try connection.run(begin).count == 2)
            #expect(connection.isInTransaction)
            connection.send(end)
            #expect(!connection.isInTransaction)
        }
        #expect(try connection.run(Statement("SELECT 5")).int64(0, 0) == 5)
    }

    @Test func warningsAreNoticed() throws {
        let connection = try TestServer.connection()
        _ = try connection.run(Statement("SELECT 1"))
        #expect(!connection.hasWarned)
        // This COMMIT has no transaction.
        _ = try connection.run(Statement("COMMIT", prepared: false))
        #expect(connection.hasWarned)
        var pipeline = Pipeline()
        pipeline.add("ROLLBACK")
        pipeline.add("SELECT 1")
        _ = try connection.run(pipeline, RunLimits(commits: true))
        #expect(!connection.hasWarned)
        pipeline.add("ROLLBACK")
        let failure = Self.failure { () throws(PostgresFailure) in
            _ = try connection.run(pipeline, RunLimits(commits: true))
        }
        #expect(connection.hasWarned)
        // A commit with a warning may be visible here only.
        #expect(failure?.isOutcomeUnknown == true)
    }

    @Test func tooManyParametersAreRefusedBeforeAnythingIsSent() throws {
        let connection = try TestServer.connection()
        let parameters = [Parameter](repeating: .bigint(1), count: 70_000)
        let failure = Self.failure { () throws(PostgresFailure) in
            _ = try connection.run(Statement("SELECT 1"), parameters)
        }
        #expect(failure?.storeError(connection.place, during: "save to").code == .tooLarge)
        #expect(try connection.run(Statement("SELECT 1")).int64(0, 0) == 1)
    }

    /// The failure of a run; nil if it did not fail.
    static func failure(_ body: () throws(PostgresFailure) -> Void) -> PostgresFailure? {
        do throws(PostgresFailure) {
            try body()
            return nil
        } catch { return error }
    }

    /// The SQLSTATE of a statement.
    static func state(_ connection: Connection, _ statement: Statement) -> String? {
        failure { () throws(PostgresFailure) in _ = try connection.run(statement) }?.sqlState
    }
}
