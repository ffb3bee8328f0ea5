import DuramenStore
import Foundation
import Testing

@testable import DuramenPostgres

/// The server that the tests run on, which `Scripts/postgres` starts.
enum TestServer {
    /// Where it is.
    static let text = ProcessInfo.processInfo.environment["DURAMEN_TEST_POSTGRES"]

    /// Whether there is one. Without one, the tests are skipped, unless
    /// `DURAMEN_REQUIRE_POSTGRES=1` makes that a failure.
    static let isThere: Bool = {
        if text != nil { return true }
        if ProcessInfo.processInfo.environment["DURAMEN_REQUIRE_POSTGRES"] == "1" { return true }
        print(
            """
            DuramenPostgres: not tested, no PostgreSQL here; apt-get install postgresql, or set \
            DURAMEN_TEST_POSTGRES.
            """)
        return false
    }()

    /// The text, or a failure.
    static func location() throws -> String {
        try #require(text, "DURAMEN_REQUIRE_POSTGRES is set, and DURAMEN_TEST_POSTGRES is not")
    }

    /// How to connect.
    static func settings() throws -> ConnectionSettings {
        try ConnectionSettings.parse(try location()).settings
    }

    /// A connection of the test's own.
    static func connection(counters: StoreCounters? = nil) throws -> Connection {
        try Connection(try settings(), within: Deadline(seconds: 20), counters: counters)
    }
}
