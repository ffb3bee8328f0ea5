import DuramenQuery
import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct CopyTests {
    private static let copyIn = "COPY pg_temp.t FROM STDIN (FORMAT binary)"
    private static let count = Statement("SELECT count(*), sum(a)::bigint FROM pg_temp.t")

    @Test func rowsAreCopiedInAndOut() throws {
        let connection = try Self.connection()
        let copied = try connection.copyIn(Self.copyIn) { writer throws(StoreError) in
            for number in 0..<20_000 as Range<Int64> {
                try writer.beginRow(columns: 2)
                writer.append(bigint: number)
                if number % 3 == 0 {
                    writer.appendNull()
                } else {
                    writer.append(.text("row \(number)"))
                }
            }
        }
        #expect(copied == 20_000)
        let result = try connection.run(Self.count)
        #expect(result.int64(0, 0) == 20_000)
        #expect(result.int64(0, 1) == 199_990_000)
        var bytes: [UInt8] = []
        let read = try connection.copyOut("COPY pg_temp.t TO STDOUT (FORMAT binary)") { piece in
            bytes.append(contentsOf: piece)
        }
        #expect(read == 20_000)
        #expect(bytes.starts(with: Array("PGCOPY\n".utf8)))
        #expect(bytes.suffix(2) == [0xFF, 0xFF])
        #expect(try connection.run(Statement("SELECT 1")).int64(0, 0) == 1)
    }

    @Test func aCopyIsPartOfItsTransaction() throws {
        let connection = try Self.connection()
        _ = try connection.run(Statement("BEGIN"))
        _ = try connection.copyIn(Self.copyIn) { writer throws(StoreError) in
            try writer.beginRow(columns: 2)
            writer.append(bigint: 1)
            writer.appendNull()
        }
        #expect(connection.isInTransaction)
        _ = try connection.run(Statement("ROLLBACK"))
        #expect(try connection.run(Self.count).int64(0, 0) == 0)
    }

    @Test func aCopyWhoseWriterFailsCopiesNothing() throws {
        let connection = try Self.connection()
        let code = Self.code(connection) {
            _ = try connection.copyIn(Self.copyIn) { writer throws(StoreError) in
                for number in 0..<20_000 as Range<Int64> {
                    try writer.beginRow(columns: 2)
                    writer.append(bigint: number)
                    writer.appendNull()
                }
                throw StoreError(.tooLarge, "stop")
            }
        }
        #expect(code == .tooLarge)
        #expect(try connection.run(Self.count).int64(0, 0) == 0)
    }

    @Test func aCopyThatTheServerRefusesTellsWhy() throws {
        let connection = try Self.connection()
        var rows = 0
        let code = Self.code(connection) {
            _ = try connection.copyIn(Self.copyIn) { writer throws(StoreError) in
                for number in 0..<2_000_000 as Range<Int64> {
                    try writer.beginRow(columns: 2)
                    writer.append(bigint: number / 2)
                    writer.appendNull()
                    rows += 1
                }
            }
        }
        // The key is there already.
        #expect(code == .invalidRequest)
        #expect(rows > 0)
        let unknown = Self.code(connection) {
            _ = try connection.copyIn("COPY pg_temp.u FROM STDIN (FORMAT binary)") { _ in }
        }
        #expect(unknown == .incompatibleModel)
        #expect(try connection.run(Self.count).int64(0, 0) == 0)
    }

    @Test func aCancelledCopyClosesItsConnection() throws {
        let connection = try Self.connection()
        let flag = CancellationFlag()
        let code = Self.code(connection) {
            _ = try connection.copyIn(Self.copyIn, RunLimits(cancellation: flag)) {
                writer throws(StoreError) in
                for number in 0..<2_000_000 as Range<Int64> {
                    if number == 10_000 { flag.cancel() }
                    try writer.beginRow(columns: 2)
                    writer.append(bigint: number)
                    writer.appendNull()
                }
            }
        }
        #expect(code == .cancelled)
        #expect(connection.isBroken)
    }

    @Test func aReaderThatFailsEndsTheCopy() throws {
        let connection = try Self.connection()
        let code = Self.code(connection) {
            _ = try connection.copyOut(
                "COPY (SELECT generate_series(1, 100)) TO STDOUT (FORMAT binary)"
            ) { _ throws(StoreError) in throw StoreError(.diskFull, "stop") }
        }
        #expect(code == .diskFull)
        #expect(connection.isBroken)
    }

    private static func connection() throws -> Connection {
        let connection = try TestServer.connection()
        _ = try connection.run(Statement("CREATE TEMP TABLE t (a bigint PRIMARY KEY, b text)"))
        return connection
    }

    private static func code(
        _ connection: Connection, _ body: () throws -> Void
    ) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CopyFailure)?.storeError(connection.place, during: "copy to").code
        }
    }
}
