import Duramen
import Foundation
import PackageModel
import Testing

@testable import LiveListKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The page's server, over the network of the machine.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ServerTests {
    @Test func aChangeReachesAPageThatListens() async throws {
        let container = try await makeContainer(["admin": ["a", "b"], "libs": ["c <b>"]])
        let feed = try ListFeed(container.viewContext)
        try await withServer(container, feed) { (url) async throws -> Void in
            try await EventReader.read(url.appending(path: "messages")) { chunks in
                var events = EventParser(chunks)
                let first = try #require(await events.next())
                #expect(first.name == "list")
                let list = try JSONDecoder().decode(
                    [ListedSection].self, from: Data(first.data.utf8))
                #expect(list.map { $0.rows.map(\.name) } == [["a", "b"], ["c <b>"]])
                #expect(feed.followerCount == 1)

                #expect(try await status(of: "DELETE", url.appending(path: "packages/a")) == 204)
                let second = try #require(await events.next())
                #expect(second.name == "change")
                let change = try JSONDecoder().decode(
                    ListChange.self, from: Data(second.data.utf8))
                #expect(change.removedRows == [.init(section: 0, row: 0)])
            }
            // A page that is closed is let go.
            while feed.followerCount > 0 { await Task.yield() }
        }
    }

    @Test func whatIsNotThereIsSaidSo() async throws {
        let container = try await makeContainer(["admin": ["a"]])
        let feed = try ListFeed(container.viewContext)
        try await withServer(container, feed) { (url) async throws -> Void in
            #expect(try await status(of: "DELETE", url.appending(path: "packages/none")) == 404)
            #expect(try await status(of: "GET", url.appending(path: "nothing")) == 404)
            let torn = try #require(URL(string: "\(url)packages/%FF"))
            #expect(try await status(of: "DELETE", torn) == 400)
            #expect(try await status(of: "GET", url) == 200)
        }
        #expect(try container.viewContext.count(for: FetchRequest<Package>()) == 1)
    }

    private func status(of method: String, _ url: URL) async throws -> Int {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}
