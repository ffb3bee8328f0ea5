import CPostgres
import DuramenStore

/// How connections to a store are opened. The parameters may have a password, so nothing prints
/// them.
struct ConnectionSettings: Sendable, CustomStringConvertible, CustomReflectable {
    /// Our own parameters in the text that says where a store is.
    struct OwnParameters: Sendable, Hashable {
        /// The schema of the store.
        var schema: String?
        /// The largest number of connections for states.
        var connections: Int?
        /// The risks that are accepted.
        var allowed: Set<AllowedRisk> = []
        /// Whether saves send notices.
        var notifies = false
        /// The longest time for a read, in seconds.
        var readSeconds: Double?
    }

    /// A risk that may be accepted.
    enum AllowedRisk: String, CaseIterable {
        /// TLS may be missing, or not verified.
        case unverified
        /// The server may run without flushing.
        case unsafe
    }

    /// libpq's parameters as they were given.
    private(set) var parameters: [String: String]
    /// Whether TLS may be missing, or not verified.
    var allowsUnverifiedServer = false
    /// The schema, for messages.
    var schema: String?
    /// After how many seconds the server gives up waiting for a lock.
    var lockTimeoutSeconds = 10.0
    /// After how many seconds the server ends a transaction that does nothing.
    var idleInTransactionSeconds = 90.0

    /// Reads a connection string or a URI.
    ///
    /// libpq's own message about a text that it cannot read repeats the text, so it is dropped.
    ///
    /// - Returns: The settings, and our own parameters, which libpq does not know.
    /// - Throws: `.invalidRequest`; the message has no part of the text but names of parameters.
    static func parse(
        _ text: String
    ) throws(StoreError) -> (settings: ConnectionSettings, own: OwnParameters) {
        if text.utf8.contains(0) { throw ConnectionText.unusable("it contains a NUL; remove it.") }
        let cut = try ConnectionText(text, known: knownNames)
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(cut.forLibpq, &message)
        if let message { PQfreemem(message) }
        guard let options else {
            throw ConnectionText.unusable(
                "libpq cannot read it; check its form, and percent-encode what is special in a URI."
            )
        }
        defer { PQconninfoFree(options) }
        var own = OwnParameters(schema: cut.own["schema"])
        if let number = cut.own["connections"] {
            guard let count = Int(number), (1...1_000).contains(count) else {
                throw ConnectionText.unusable(
                    "its parameter 'connections' is not a number from 1 to 1000.")
            }
            own.connections = count
        }
        for word in cut.own["allow"]?.split(separator: ",") ?? [] {
            guard let risk = AllowedRisk(rawValue: String(word)) else {
                let known = AllowedRisk.allCases.map(\.rawValue).joined(separator: ",")
                throw ConnectionText.unusable("its parameter 'allow' takes \(known) only.")
            }
            own.allowed.insert(risk)
        }
        if let word = cut.own["notices"] {
            guard ["on", "off"].contains(word) else {
                throw ConnectionText.unusable("its parameter 'notices' takes on or off only.")
            }
            own.notifies = word == "on"
        }
        if let number = cut.own["read_timeout"] {
            guard let seconds = Double(number), seconds > 0, seconds.isFinite else {
                throw ConnectionText.unusable(
                    "its parameter 'read_timeout' is not a number of seconds above 0.")
            }
            own.readSeconds = seconds
        }
        var settings = ConnectionSettings(parameters: values(of: options))
        settings.schema = own.schema
        try settings.check()
        return (settings, own)
    }

    var description: String { place.description }
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Where the store is, as messages name it.
    var place: StorePlaceName {
        let hosts = parameters["host"] ?? parameters["hostaddr"] ?? ""
        var words = "postgres://\(hosts)/\(parameters["dbname"] ?? "")"
        if let schema { words += ", schema \(schema)" }
        return StorePlaceName(words)
    }

    /// Whether all hosts are sockets in a folder of this machine; false if libpq has to find out.
    var isLocalSocket: Bool {
        let hosts = self.hosts
        return !hosts.isEmpty && parameters["hostaddr"] == nil
            && hosts.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix("@") }
    }

    /// Whether all hosts are known to be reached over a network.
    var isNetwork: Bool {
        parameters["hostaddr"] != nil
            || !hosts.isEmpty && hosts.allSatisfy { !$0.hasPrefix("/") && !$0.hasPrefix("@") }
    }

    private var hosts: [Substring] {
        parameters["host"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    /// Refuses what would put a part of a password into messages, or would drop the encryption.
    private func check() throws(StoreError) {
        let shown = [parameters["host"], parameters["hostaddr"], parameters["dbname"]]
        let isDigits = parameters["port"]?.allSatisfy { $0.isNumber || $0 == "," } ?? true
        if !isDigits || shown.contains(where: { $0?.contains("@") == true && $0?.first != "@" }) {
            throw ConnectionText.unusable(
                "its host, port or database is not one; percent-encode the password.")
        }
    }

    /// The parameters that connections are opened with.
    ///
    /// - Throws: `.invalidRequest` if the text asks for less than a verified server.
    func libpqParameters() throws(StoreError) -> [(name: String, value: String)] {
        var all = parameters
        if !allowsUnverifiedServer {
            if let mode = all["sslmode"], mode != "verify-full", !isLocalSocket {
                throw ConnectionText.unusable(
                    "its sslmode does not verify the server; remove it, or allow an unverified server."
                )
            }
            all["sslmode"] = "verify-full"
            // Needs TLS, so it cannot be asked for where a socket may be meant.
            if isNetwork { all["channel_binding"] = "require" }
            // libpq 16 can refuse servers that ask for the password itself.
            if PQlibVersion() >= 160_000, all["require_auth"] == nil {
                all["require_auth"] = "!password,!md5"
            }
        }
        let fixed = [
            "gssencmode": "disable", "keepalives": "1", "keepalives_idle": "10",
            "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000",
            "application_name": "duramen", "client_encoding": "UTF8",
            "options": [all["options"], startOptions].compactMap(\.self).joined(separator: " "),
        ]
        all.merge(fixed) { $1 }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The settings of every transaction, which the server takes from the start-up packet.
    private var startOptions: String {
        func milliseconds(_ seconds: Double) -> Int32 {
            seconds > 0 ? Int32(min(max(seconds * 1_000, 1), 2_000_000_000)) : 1
        }
        return [
            "search_path=pg_catalog", "lock_timeout=\(milliseconds(lockTimeoutSeconds))",
            "idle_in_transaction_session_timeout=\(milliseconds(idleInTransactionSeconds))",
            "jit=off", "extra_float_digits=1", "bytea_output=hex", "DateStyle=ISO", "TimeZone=UTC",
            // A role or a database may have other settings. Names are literals in a few statements,
            // and a commit that the server has not flushed would be acknowledged.
            "client_min_messages=warning", "standard_conforming_strings=on",
            "synchronous_commit=on",
        ].map { "-c \($0)" }.joined(separator: " ")
    }

    private static let knownNames: Set<String> = {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        var names: Set<String> = []
        var option = options
        while let keyword = option.pointee.keyword {
            names.insert(String(cString: keyword))
            option += 1
        }
        return names
    }()

    private static func values(
        of options: UnsafeMutablePointer<PQconninfoOption>
    ) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }
}
