import DuramenModel
import DuramenPostgres
import DuramenStore
import Foundation
import StoreTestSupport

@testable import DuramenPostgres

/// A socket between a store and its server, on which connections are cut, held or swallowed.
final class FaultProxy: Sendable {
    private struct State {
        var fault: ProxyLink.Fault?
        var swallowsAll = false
        /// Whether held commits are sent, or their connections are ended.
        var release: Bool?
        var isEnded = false
    }

    private let folder = TemporaryFolder()
    private let state = Locked(State())
    private let wakeUp: Int32

    /// Starts a proxy for the test server, which must listen on a socket of this machine.
    init?() throws {
        let settings = try TestServer.settings()
        let host = settings.parameters["host"] ?? ""
        guard host.hasPrefix("/") else {
            recordNotTested("faults of connections", because: "the server has no socket here")
            return nil
        }
        let port = settings.parameters["port"] ?? "5432"
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0,
            let listener = Self.socket(folder.path + "/.s.PGSQL.\(port)", listens: true)
        else { throw StoreError(.io, "no socket for the proxy") }
        wakeUp = ends[1]
        let (server, waker) = ("\(host)/.s.PGSQL.\(port)", ends[0])
        Thread.detachNewThread { [self] in run(listener, waker, server) }
    }

    deinit {
        end()
        close(wakeUp)
    }

    /// A description of a store that another description is of, through the proxy.
    func through(_ place: PersistentStoreDescription) throws -> PersistentStoreDescription {
        let text = try TestServer.text(
            user: place.location, TestServer.rolePassword, host: folder.path)
        return .postgres(text, schema: place.location).allowingUnsafeServer()
    }

    /// Lets a fault happen at the next COMMIT of a save.
    func arm(_ fault: ProxyLink.Fault) { state.withLock { $0.fault = fault } }

    /// Sends the commits that are held, or ends their connections.
    func release(commits: Bool) {
        state.withLock { $0.release = commits }
        wake()
    }

    /// Lets nothing pass in either direction.
    func swallowAll(_ swallows: Bool) {
        state.withLock { $0.swallowsAll = swallows }
        wake()
    }

    /// Closes everything.
    func end() {
        state.withLock { state in
            // The thread closes its end of the pipe once it sees this.
            if !state.isEnded { wake() }
            state.isEnded = true
        }
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = write(wakeUp, &byte, 1)
    }

    // MARK: - The thread

    private func run(_ listener: Int32, _ waker: Int32, _ server: String) {
        var links: [ProxyLink] = []
        defer {
            for link in links {
                link.closeClient()
                link.closeServer()
            }
            close(listener)
            close(waker)
        }
        while true {
            let now = state.withLock { state in
                defer { state.release = nil }
                return state
            }
            if now.isEnded { return }
            if let release = now.release { links.forEach { $0.release(release) } }
            if now.swallowsAll { links.forEach { $0.swallows = true } }
            links.removeAll(where: \.isClosed)
            var files = [listener, waker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            for link in links {
                files.append(pollfd(fd: link.client, events: Int16(POLLIN), revents: 0))
                files.append(pollfd(fd: link.server, events: Int16(POLLIN), revents: 0))
            }
            guard poll(&files, nfds_t(files.count), -1) > 0 else { continue }
            if files[1].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(waker, &bytes, bytes.count)
                // What was asked for comes first.
                continue
            }
            for (place, link) in links.enumerated() {
                if files[2 + 2 * place].revents != 0, link.client >= 0 { link.passFromClient() }
                if files[3 + 2 * place].revents != 0, link.server >= 0 { link.passFromServer() }
            }
            if files[0].revents != 0 { links += accept(listener, server, now.swallowsAll) }
        }
    }

    private func accept(_ listener: Int32, _ server: String, _ swallows: Bool) -> [ProxyLink] {
        let client = Foundation.accept(listener, nil, nil)
        guard client >= 0 else { return [] }
        guard let upstream = Self.socket(server, listens: false) else {
            close(client)
            return []
        }
        let link = ProxyLink(client: client, server: upstream)
        link.swallows = swallows
        link.takeFault = { [self] in
            state.withLock { state in
                defer { state.fault = nil }
                return state.fault
            }
        }
        return [link]
    }

    private static func socket(_ path: String, listens: Bool) -> Int32? {
        let file = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
        guard file >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) {
            // Sound: both begin with the family, which says how long the rest is.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                listens ? bind(file, $0, size) : connect(file, $0, size)
            }
        }
        guard status == 0, !listens || listen(file, 64) == 0 else {
            close(file)
            return nil
        }
        return file
    }
}
