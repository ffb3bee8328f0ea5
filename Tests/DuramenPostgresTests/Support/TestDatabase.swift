import Foundation

@testable import DuramenPostgres

/// An empty database on the test server.
struct TestDatabase {
    /// How to connect to it.
    let location: String
    private let name =
        "d_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
    private let raw: RawServer

    init() throws {
        raw = try RawServer()
        try raw.run("CREATE DATABASE \(name)")
        let settings = try TestServer.settings().parameters
        location = try TestServer.text(
            user: settings["user"] ?? "", settings["password"] ?? "", database: name)
    }

    /// Deletes it, whoever uses it.
    func drop() { _ = try? raw.run("DROP DATABASE \(name) WITH (FORCE)") }
}
