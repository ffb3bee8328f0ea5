import Foundation

/// One connection through a ``FaultProxy``, and its messages.
///
/// Confined by the thread of the proxy.
final class ProxyLink {
    /// What happens to a connection that commits a save.
    enum Fault: CaseIterable, Sendable {
        /// The connection ends before COMMIT reaches the server.
        case cutBefore
        /// The connection ends within the messages of COMMIT.
        case cutWithin
        /// COMMIT reaches the server, and the client sees the connection end.
        case cutAfter
        /// The client sees the connection end, and the server gets COMMIT later, or never.
        case hold
        /// The server's answer has a warning.
        case warn
    }

    private(set) var client: Int32
    private(set) var server: Int32
    /// Whether nothing passes in either direction.
    var swallows = false
    /// What to do at the next COMMIT of a save.
    var takeFault: () -> Fault? = { nil }

    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var hasStarted = false
    private var isRaw = false
    private var commitNames: Set<String> = []
    private var numberNames: Set<String> = []
    private var isNumbering = false
    private var held: [UInt8]?
    private var warns = false

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// Whether both ends are closed.
    var isClosed: Bool { client < 0 && server < 0 }

    func closeClient() {
        if client >= 0 { close(client) }
        client = -1
    }

    func closeServer() {
        if server >= 0 { close(server) }
        server = -1
    }

    /// Sends the COMMIT that was held, or ends its connection.
    func release(_ commits: Bool) {
        guard let bytes = held else { return }
        held = nil
        if commits {
            write(bytes, to: server)
            // The answer has no reader; the server ends with its input.
            shutdown(server, Int32(SHUT_WR))
        } else {
            closeServer()
        }
    }

    // MARK: - From the client

    func passFromClient() {
        guard let bytes = read(client) else {
            closeClient()
            // A held commit keeps the server waiting.
            if held == nil { closeServer() }
            return
        }
        if swallows { return }
        if held != nil {
            held? += bytes
            return
        }
        if isRaw { return write(bytes, to: server) }
        incoming += bytes
        while let message = nextMessage() {
            if !pass(message) { return }
        }
    }

    /// Takes a whole message; the first one has no type.
    private func nextMessage() -> [UInt8]? {
        let start = hasStarted ? 1 : 0
        guard incoming.count >= start + 4 else { return nil }
        let length = start + Int(Self.number(incoming, start))
        guard incoming.count >= length else { return nil }
        let message = Array(incoming.prefix(length))
        incoming.removeFirst(length)
        if !hasStarted {
            hasStarted = true
            // A request to cancel is all that its connection has.
            isRaw = length == 16 && Self.number(message, 4) == 80_877_102
        }
        return message
    }

    /// Passes a message on.
    ///
    /// - Returns: False if the connection was ended or stopped.
    private func pass(_ message: [UInt8]) -> Bool {
        if beginsCommit(message), let fault = takeFault() { return strike(fault, message) }
        write(message, to: server)
        return true
    }

    private func strike(_ fault: Fault, _ message: [UInt8]) -> Bool {
        switch fault {
        case .cutBefore:
            closeServer()
            closeClient()
        case .cutWithin:
            write(Array(message.prefix(message.count / 2)), to: server)
            closeServer()
            closeClient()
        case .cutAfter:
            write(message + incoming, to: server)
            shutdown(server, Int32(SHUT_WR))
            closeClient()
        case .hold:
            held = message + incoming
            closeClient()
        case .warn:
            warns = true
            write(message, to: server)
            return true
        }
        return false
    }

    /// Whether a message is the first of a COMMIT behind the number of a save.
    private func beginsCommit(_ message: [UInt8]) -> Bool {
        switch message.first {
        case UInt8(ascii: "P"):
            let texts = Self.texts(message, 2)
            if texts[1] == "COMMIT" {
                commitNames.insert(texts[0])
                return isNumbering
            }
            if texts[1].contains("nextval(") { numberNames.insert(texts[0]) }
        case UInt8(ascii: "B"):
            let name = Self.texts(message, 2)[1]
            if numberNames.contains(name) { isNumbering = true }
            return isNumbering && commitNames.contains(name)
        case UInt8(ascii: "S"): isNumbering = false
        default: break
        }
        return false
    }

    // MARK: - From the server

    func passFromServer() {
        guard let bytes = read(server) else {
            closeServer()
            closeClient()
            return
        }
        if swallows || client < 0 { return }
        guard warns else { return write(bytes, to: client) }
        outgoing += bytes
        var passed: [UInt8] = []
        while outgoing.count >= 5 {
            let length = 1 + Int(Self.number(outgoing, 1))
            guard outgoing.count >= length else { break }
            let message = Array(outgoing.prefix(length))
            outgoing.removeFirst(length)
            if message.first == UInt8(ascii: "C"), Self.texts(message, 1)[0] == "COMMIT" {
                passed += Self.warning
                warns = false
            }
            passed += message
        }
        if !warns {
            passed += outgoing
            outgoing = []
        }
        write(passed, to: client)
    }

    /// The server's words for a wait for a standby that was cancelled.
    private static let warning: [UInt8] = {
        var body: [UInt8] = []
        for field in ["SWARNING", "VWARNING", "C01000", "Mcanceling wait"] {
            body += Array(field.utf8)
            body.append(0)
        }
        body.append(0)
        // The length, which has four bytes and counts them.
        let head: [UInt8] = [UInt8(ascii: "N"), 0, 0, 0, UInt8(body.count + 4)]
        return head + body
    }()

    // MARK: - Bytes

    private static func number(_ bytes: [UInt8], _ start: Int) -> UInt32 {
        bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The texts behind the head of a message, which end with a zero each.
    private static func texts(_ message: [UInt8], _ count: Int) -> [String] {
        let parts = message.dropFirst(5).split(
            separator: 0, maxSplits: count, omittingEmptySubsequences: false)
        return (0..<count).map {
            $0 < parts.count ? String(decoding: parts[$0], as: UTF8.self) : ""
        }
    }

    /// Reads what is there; nil at the end.
    private func read(_ file: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(file, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private func write(_ bytes: [UInt8], to file: Int32) {
        var sent = 0
        while sent < bytes.count, file >= 0 {
            let count = bytes.withUnsafeBytes {
                send(
                    file, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }
}
