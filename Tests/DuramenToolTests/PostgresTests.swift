import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// The server that `Scripts/test` starts.
private enum PostgresServer {
    static let text = ProcessInfo.processInfo.environment["DURAMEN_TEST_POSTGRES"]
}

/// `duramen` and a store on PostgreSQL, which `duramen-postgres` looks after.
@Suite(.enabled(if: PostgresServer.text != nil)) struct PostgresTests {
    private let folder = TemporaryFolder()

    private let schema = "tool_\(UUID().uuidString.prefix(8).lowercased())"

    /// The text of a store in a schema of its own.
    private func location() throws -> String {
        "\(try #require(PostgresServer.text))?schema=\(schema)&allow=unsafe"
    }

    /// Removes the schema, as the tool cannot. Without psql it stays.
    private func removeSchema() {
        do {
            let status = try psql("--command", "DROP SCHEMA IF EXISTS \(schema) CASCADE")
            #expect([0, 127].contains(status))
        } catch {
            Issue.record(error, "the schema was not removed")
        }
    }

    /// Runs psql, and returns its status; 127 if it is not installed.
    private func psql(_ arguments: String...) throws -> Int32 {
        let psql = Process()
        psql.executableURL = URL(filePath: "/usr/bin/env")
        psql.arguments =
            ["psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1"] + arguments
            + [PostgresServer.text ?? ""]
        psql.standardInput = FileHandle.nullDevice
        psql.standardOutput = FileHandle.nullDevice
        psql.standardError = FileHandle.nullDevice
        try psql.run()
        psql.waitUntilExit()
        return psql.terminationStatus
    }

    @Test func aStoreIsConvertedToAServerAndBack() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        defer { removeSchema() }
        let there = try location()
        let first = try Tool("convert", shelf.path, there)
        #expect(first.status == 0 && first.errors == "")
        let back = folder.file("b.sqlite")
        let second = try Tool("convert", there, "sqlite:" + back)
        #expect(second.status == 0 && second.output == first.output)
        #expect(try Tool("verify", there).output.hasPrefix(first.output))
        let other = there.replacing(/^postgres:/, with: "postgresql:")
        #expect(try Tool("count", other, "Book", "--where", "pages > 20").output == "2\n")
        let books = try Tool("fetch", there, "Book", "--columns", "title,pages,author.name")
        #expect(
            try books.output
                == Tool("fetch", back, "Book", "--columns", "title,pages,author.name").output)
        let plan = try Tool("explain", there, "Book", "--where", "pages > 20")
        #expect(plan.status == 0 && plan.output.contains("SELECT"))
    }

    @Test func aReportNamesTheStoreAndNoPassword() throws {
        defer { removeSchema() }
        let there = try location()
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        _ = try Tool("convert", shelf.path, there)
        let info = try Tool("info", there)
        #expect(info.status == 0)
        #expect(info.output.contains("postgres") && info.output.contains("Poet"))
        let password = try #require(URLComponents(string: there)?.password)
        #expect(!password.isEmpty && !(info.output + info.errors).contains(password))
        let history = try Tool("history", there)
        #expect(history.status != 0 && history.errors.contains("keeps no history"))
        #expect(!history.errors.contains(password))
        let again = try Tool("convert", shelf.path, there)
        #expect(again.status != 0 && again.errors.contains("already"))
        #expect(!again.errors.contains(password))
    }

    @Test func theStatementsOfASchemaMakeAStore() throws {
        let shelf = try Shelf(.sqlite(folder.file("a.sqlite")))
        defer { removeSchema() }
        let there = try location()
        let printed = try Tool("schema", there, shelf.path, "--role", "postgres-role")
        #expect(printed.status == 0 && printed.errors == "")
        #expect(printed.output.contains("TO \"postgres-role\";"))
        // Nothing was made.
        #expect(try Tool("info", there).status == 1)
        let script = try Tool("schema", there, shelf.path).output
        let file = folder.file("schema.sql")
        try Data(script.utf8).write(to: URL(filePath: file))
        let status = try psql("--file", file)
        if status == 127 { return }
        #expect(status == 0)
        // A second store in its place is refused, and the first one is unchanged.
        #expect(try psql("--file", file) == 3)
        let count = try Tool("count", there, "Book", "--model-of", shelf.path)
        #expect(count.output == "0\n")
        let files = try Tool("schema", shelf.path, shelf.path)
        #expect(files.status == 1 && files.errors.contains("makes its own files"))
    }
}
