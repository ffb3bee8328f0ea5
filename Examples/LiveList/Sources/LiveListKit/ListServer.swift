public import Duramen
import Foundation
public import Hummingbird
import PackageModel
import ServiceLifecycle

/// The page, its messages, and what it may ask for.
public struct ListServer: Sendable {
    private let container: PersistentContainer
    private let feed: ListFeed

    public init(container: PersistentContainer, feed: ListFeed) {
        self.container = container
        self.feed = feed
    }

    public var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.page_html)))
        }
        router.get("messages") { request, _ in await messages(for: request) }
        router.delete("packages/:name") { _, context in
            // The router hands names on as they stand in the address.
            guard let name = try context.parameters.require("name").removingPercentEncoding else {
                throw HTTPError(.badRequest, message: "The name is not percent-encoded UTF-8.")
            }
            return try await purge(name)
        }
        return router
    }

    /// Server-sent events, until the browser or the server goes.
    private func messages(for request: Request) async -> Response {
        let messages = await feed.messages()
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for await message in messages.cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: message.event))
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Deletes a package in the background; the list learns of it like of any other change.
    private func purge(_ name: String) async throws -> HTTPResponse.Status {
        try await container.performBackgroundTask { context in
            let request = FetchRequest<Package>().where { $0.identifier == name }.limit(1)
            guard let package = try context.fetch(request).first else { return .notFound }
            context.delete(package)
            try context.save()
            return .noContent
        }
    }
}

extension ListMessage {
    /// The message as a server-sent event.
    var event: String {
        get throws {
            let encoder = JSONEncoder()
            let (name, data) =
                switch self {
                case .list(let sections): ("list", try encoder.encode(sections))
                case .change(let change): ("change", try encoder.encode(change))
                }
            // JSON in one line: line breaks within text are escaped.
            return "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
        }
    }
}
