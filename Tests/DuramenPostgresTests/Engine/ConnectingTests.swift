import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

@Suite(.enabled(if: TestServer.isThere))
struct ConnectingTests {
    private static let marker = "xyzzyMarker42"

    @Test func aConnectionHasTheSettingsOfEveryTransaction() throws {
        let connection = try TestServer.connection()
        #expect(connection.serverVersion >= 150_000)
        #expect(connection.serverParameter("client_encoding") == "UTF8")
        #expect(connection.serverParameter("application_name") == "duramen")
        let names = [
            "search_path": "pg_catalog", "jit": "off", "bytea_output": "hex", "lock_timeout": "10s",
            "idle_in_transaction_session_timeout": "90s", "TimeZone": "UTC",
            "extra_float_digits": "1",
        ]
        for (name, value) in names {
            let result = try connection.run(
                Statement("SELECT current_setting($1::text)"), [.text(name)])
            #expect(result.text(0, 0) == value, "\(name)")
        }
    }

    @Test func aServerThatIsNotThereIsUnavailable() throws {
        let error = Self.error("postgres://me:\(Self.marker)@%2Ftmp%2Fnothing-here/d")
        #expect(error?.code == .storeUnavailable)
        Self.expectNoMarker(error)
    }

    @Test func aPortWithoutServerIsUnavailable() throws {
        let error = Self.error("postgres://me:\(Self.marker)@127.0.0.1:9/d")
        #expect(error?.code == .storeUnavailable)
        Self.expectNoMarker(error)
    }

    @Test func aServerThatDoesNotAnswerIsUnavailableInTime() throws {
        // It listens, and nobody accepts.
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(server, $0, length) == 0)
                listen(server, 5)
                getsockname(server, $0, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let began = ContinuousClock.now
        let error = Self.error("postgres://me:\(Self.marker)@127.0.0.1:\(port)/d", seconds: 0.3)
        #expect(error?.code == .storeUnavailable)
        #expect(ContinuousClock.now - began < .seconds(2))
        Self.expectNoMarker(error)
    }

    @Test func aWrongPasswordIsDeniedAndInNoMessage() throws {
        var parameters = try TestServer.settings().parameters
        parameters["password"] = Self.marker
        let error = Self.error(Self.text(parameters))
        #expect(error?.code == .permissionDenied)
        #expect(error?.detail?.contains("28P01") == true)
        Self.expectNoMarker(error)
    }

    @Test func aMissingPasswordIsDenied() throws {
        var parameters = try TestServer.settings().parameters
        parameters["password"] = nil
        parameters["passfile"] = "/nothing/here"
        #expect(Self.error(Self.text(parameters))?.code == .permissionDenied)
    }

    @Test func aRoleThatIsNotThereIsDeniedAndNotNamed() throws {
        var parameters = try TestServer.settings().parameters
        parameters["user"] = Self.marker
        let error = Self.error(Self.text(parameters))
        #expect(error?.code == .permissionDenied)
        Self.expectNoMarker(error)
    }

    @Test func aDatabaseThatIsNotThereIsMissing() throws {
        var parameters = try TestServer.settings().parameters
        parameters["dbname"] = "not_there"
        let error = Self.error(Self.text(parameters))
        #expect(error?.code == .storeMissing)
        #expect(error?.message.contains("not_there") == true)
    }

    @Test func aChildMadeByForkDoesNotUseOrEndTheConnection() throws {
        let connection = try TestServer.connection()
        let number = try Self.backend(connection)
        let code = try storeErrorCodeInFork {
            do throws(PostgresFailure) {
                _ = try connection.run(Statement("SELECT 1"))
            } catch {
                connection.close()
                throw error.storeError(connection.place, during: "read")
            }
        }
        #expect(code == .usedAfterFork)
        #expect(try Self.backend(connection) == number)
    }

    private static func backend(_ connection: Connection) throws -> Int64? {
        try connection.run(Statement("SELECT pg_backend_pid()")).int64(0, 0)
    }

    private static func text(_ parameters: [String: String]) -> String {
        parameters.map { name, value in
            let escaped = value.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "'", with: "\\'")
            return "\(name)='\(escaped)'"
        }.joined(separator: " ")
    }

    private static func error(_ text: String, seconds: Double = 20) -> StoreError? {
        do throws(StoreError) {
            var settings = try ConnectionSettings.parse(text).settings
            settings.allowsUnverifiedServer = true
            _ = try Connection(settings, within: Deadline(seconds: seconds))
            return nil
        } catch { return error }
    }

    private static func expectNoMarker(_ error: StoreError?) {
        #expect(error.map { "\($0)\($0.message)".contains(Self.marker) } == false)
    }
}
