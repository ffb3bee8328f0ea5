import Duramen
import Foundation
import Hummingbird

@testable import LiveListKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs the server at a port that is free, while a test talks to it.
@MainActor func withServer<Result: Sendable>(
    _ container: PersistentContainer, _ feed: ListFeed,
    _ body: @MainActor @escaping (URL) async throws -> Result
) async throws -> Result {
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
        router: ListServer(container: container, feed: feed).router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
    let server = Task { try await application.run() }
    defer { server.cancel() }
    var first = ports.makeAsyncIterator()
    let number = await first.next() ?? 0
    return try await body(URL(string: "http://127.0.0.1:\(number)/")!)
}

/// A stream of server-sent events, as they come.
final class EventReader: NSObject, URLSessionDataDelegate, Sendable {
    struct Event: Equatable {
        var name = ""
        var data = ""
    }

    private let chunks: AsyncStream<Data>
    private let chunk: AsyncStream<Data>.Continuation

    private init(_: Void) {
        (chunks, chunk) = AsyncStream.makeStream()
        super.init()
    }

    /// Calls `body` with what comes from an address, and lets go of the connection then.
    @MainActor static func read<Result>(
        _ url: URL, _ body: @MainActor (AsyncStream<Data>) async throws -> Result
    ) async throws -> Result {
        let reader = EventReader(())
        let session = URLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil)
        session.dataTask(with: url).resume()
        defer { session.invalidateAndCancel() }
        return try await body(reader.chunks)
    }

    func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
        chunk.yield(data)
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError _: (any Error)?) {
        chunk.finish()
    }
}

/// Cuts what was received into events.
struct EventParser {
    private var rest = ""
    private var chunks: AsyncStream<Data>.AsyncIterator

    init(_ chunks: AsyncStream<Data>) { self.chunks = chunks.makeAsyncIterator() }

    /// The next event; nil when the connection has ended.
    mutating func next() async -> EventReader.Event? {
        while true {
            if let end = rest.range(of: "\n\n") {
                var event = EventReader.Event()
                for line in rest[..<end.lowerBound].split(separator: "\n") {
                    if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
                }
                rest = String(rest[end.upperBound...])
                return event
            }
            guard let data = await chunks.next() else { return nil }
            rest += String(decoding: data, as: UTF8.self)
        }
    }
}
