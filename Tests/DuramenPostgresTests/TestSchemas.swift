import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation
import Testing

@testable import DuramenPostgres

/// Descriptions of stores in schemas of their own, which are removed together.
final class TestSchemas: Sendable {
    private struct Made {
        var names: [String] = []
        /// The schemas whose store has a role of the same name.
        var roles: Set<String> = []
    }

    private let location: String
    private let made = Locked(Made())

    init() throws { location = try TestServer.location() }

    /// A store that does not exist yet.
    func next() -> PersistentStoreDescription {
        let name = "t_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
        made.withLock { $0.names.append(name) }
        return .postgres(location, schema: name).allowingUnsafeServer()
    }

    /// Lets the role of that name be removed with its store.
    func noteRole(_ name: String) { made.withLock { _ = $0.roles.insert(name) } }

    /// Removes the schemas of the stores, and their roles.
    func destroyAll() {
        let made = made.withLock { made in
            defer { made = Made() }
            return made
        }
        if made.names.isEmpty { return }
        do {
            let raw = try RawServer()
            for name in made.names {
                try raw.endHolders(of: name)
                let quoted = SQLQuoting.identifier(name)
                try raw.run("DROP SCHEMA IF EXISTS \(quoted) CASCADE")
                if made.roles.contains(name) {
                    // It may own a part of the schema, or have rights to the database.
                    try raw.run("DROP OWNED BY \(quoted)")
                    try raw.run("DROP ROLE \(quoted)")
                }
            }
        } catch {
            Issue.record(error, "a store of a test was not removed")
        }
    }
}

extension RawServer {
    /// Ends the connections that a failed test has left with a hold on tables of a schema.
    fileprivate func endHolders(of schema: String) throws {
        try run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM (
                SELECT DISTINCT l.pid FROM pg_locks AS l
                JOIN pg_database AS d ON l.database = d.oid AND d.datname = current_database()
                JOIN pg_class AS c ON l.relation = c.oid
                JOIN pg_namespace AS n ON c.relnamespace = n.oid
                WHERE n.nspname = \(SQLQuoting.literal(schema)) AND l.pid <> pg_backend_pid()
            ) AS holders
            """)
    }
}
