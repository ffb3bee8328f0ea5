import DuramenSQL
import DuramenStore
import Foundation
import Testing

@testable import DuramenPostgres

/// Statements of a test beside the store, on a connection of their own.
final class RawServer {
    let connection: Connection

    /// Connects to the test server, or to the server of another text.
    init(_ text: String? = nil) throws {
        var settings =
            try text.map { try ConnectionSettings.parse($0).settings }
            ?? TestServer.settings()
        settings.lockTimeoutSeconds = 60
        settings.idleInTransactionSeconds = 600
        connection = try Connection(settings, within: Deadline(seconds: 30))
    }

    /// Runs a statement, and returns its result as a table of texts.
    @discardableResult
    func run(_ text: String) throws -> [[String?]] {
        let result = try connection.run(Statement(text, prepared: false))
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { column in
                switch result.type(ofColumn: column) {
                case .bigint, .integer, .smallint: result.int64(row, column).map(String.init)
                case .boolean: result.bool(row, column).map { "\($0)" }
                default: result.text(row, column)
                }
            }
        }
    }

    /// The number in the only row and column of a result; 0 for null or nothing.
    func number(_ text: String) throws -> Int64 {
        guard let text = try run(text).first?.first ?? nil else { return 0 }
        return Int64(text) ?? 0
    }

    /// Gives the role of a store's name rights to its tables.
    func grantUse(
        of place: PersistentStoreDescription,
        _ rights: String = "SELECT, INSERT, UPDATE, DELETE"
    ) throws {
        let (schema, role) = (place.quoted, place.quoted)
        try run("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
        try run("GRANT \(rights) ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
        try run("GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role)")
    }

    /// The processes of the server for the role that a store has for itself.
    static func about(_ schema: String) -> String { "usename = '\(schema)'" }

    /// Waits until a number of processes of a store's role are in some state.
    func waitFor(
        _ schema: String, _ condition: String = "true", atLeast least: Int64 = 0,
        atMost most: Int64 = .max
    ) throws -> Bool {
        try eventually {
            // Within a transaction, the server shows what it showed before.
            try run("SELECT pg_stat_clear_snapshot()")
            let count = try number(
                "SELECT count(*) FROM pg_stat_activity WHERE \(condition) AND "
                    + RawServer.about(schema))
            return (least...most).contains(count)
        }
    }

    /// Waits until that many statements of a store wait for a lock.
    func waitForWaiting(_ schema: String, _ count: Int) throws -> Bool {
        try waitFor(schema, "wait_event_type = 'Lock'", atLeast: Int64(count))
    }

    /// Waits until no connection of a store is left.
    func waitForNobody(_ schema: String) throws -> Bool { try waitFor(schema, atMost: 0) }
}

extension TestSchemas {
    /// A store that does not exist yet, and a role of its own, by which its connections are known.
    ///
    /// - Parameter rights: The attributes of the role, as in `CREATE ROLE`. By default, all rights.
    func nextWithRole(_ rights: String = "SUPERUSER") throws -> PersistentStoreDescription {
        let place = next()
        let password = TestServer.rolePassword
        try RawServer().run("CREATE ROLE \(place.quoted) LOGIN PASSWORD '\(password)' \(rights)")
        noteRole(place.location)
        return .postgres(
            try TestServer.text(user: place.location, password), schema: place.location
        ).allowingUnsafeServer()
    }
}

extension TestServer {
    /// The password of the roles that the tests of this process make.
    static let rolePassword = UUID().uuidString

    /// Where the server is, for another role, at another host or for another database.
    static func text(
        user: String, _ password: String, host: String? = nil, database: String? = nil
    ) throws -> String {
        let parameters = try settings().parameters
        let words = [
            "host": host ?? parameters["host"] ?? "", "port": parameters["port"] ?? "5432",
            "dbname": database ?? parameters["dbname"] ?? "postgres", "user": user,
            "password": password,
        ]
        return words.sorted { $0.key < $1.key }.map { "\($0)='\($1)'" }.joined(separator: " ")
    }
}

extension PersistentStoreDescription {
    /// The name of the schema, in quotes.
    var quoted: String { SQLQuoting.identifier(location) }
}
