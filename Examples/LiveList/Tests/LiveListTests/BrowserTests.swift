import Duramen
import PackageModel
import Testing

@testable import LiveListKit

/// The page in a browser.
@MainActor
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: Chromium.path != nil, "there is no Chromium here; install one to test this"))
struct BrowserTests {
    private static let names =
        "[...document.querySelectorAll('li')].map(li => li.dataset.name).join()"

    @Test func rowsChangeOneByOneAsTheStoreChanges() async throws {
        let container = try await makeContainer([
            "admin": ["a", "b"], "libs": ["c", "d <b>bold</b>"], "net": ["e"],
        ])
        let feed = try ListFeed(container.viewContext)
        let browser = try await Chromium(try #require(Chromium.path))
        defer { browser.end() }
        try await withServer(container, feed) { (url) async throws -> Void in
            try await browser.open(url)
            try await browser.wait(until: "document.querySelectorAll('li').length == 5")
            #expect(
                try await browser.evaluate(Self.names) as? String == "a,b,c,d <b>bold</b>,e")
            #expect(
                try await browser.evaluate(
                    "[...document.querySelectorAll('h2')].map(h => h.textContent).join()"
                ) as? String == "admin 2,libs 2,net 1")
            // Names are shown as they are, and are no markup.
            #expect(
                try await browser.evaluate("document.querySelectorAll('li b b').length") as? Int
                    == 0)
            // Each element is told apart, so that one that was made anew is noticed.
            _ = try await browser.evaluate(
                "document.querySelectorAll('li').forEach(li => li.nameBefore = li.dataset.name)")

            try await container.change { try $0.package("b")?.version = "2" }
            try await browser.wait(until: "document.querySelector('li.changed')")
            #expect(
                try await browser.evaluate(
                    "[...document.querySelectorAll('li.changed')].map(li => li.innerText).join()"
                ) as? String == "b\n2\n×")

            // One goes with its section, one moves, one comes.
            try await container.change { context in
                if let package = try context.package("e") { context.delete(package) }
                try context.package("a")?.section = context.section("web")
                try context.addPackage("aa", to: "admin")
            }
            // There were three sections before, too, so only the names show that all has come.
            try await browser.wait(until: Self.names + " == 'aa,b,c,d <b>bold</b>,a'")
            #expect(
                try await browser.evaluate(
                    "[...document.querySelectorAll('h2')].map(h => h.textContent).join()"
                ) as? String == "admin 2,libs 2,web 1")
            #expect(
                try await browser.evaluate(
                    "[...document.querySelectorAll('li')].map(li => li.nameBefore ?? '').join()"
                ) as? String == ",b,c,d <b>bold</b>,a")
        }
    }

    @Test func aButtonDeletesAPackageInEveryPage() async throws {
        let container = try await makeContainer(["admin": ["a", "b/c d", "e"]])
        let feed = try ListFeed(container.viewContext)
        let browser = try await Chromium(try #require(Chromium.path))
        defer { browser.end() }
        try await withServer(container, feed) { (url) async throws -> Void in
            try await browser.open(url)
            try await browser.wait(until: "document.querySelectorAll('li').length == 3")
            _ = try await browser.evaluate("document.querySelectorAll('button')[1].click()")
            try await browser.wait(until: "document.querySelectorAll('li').length == 2")
            #expect(try await browser.evaluate(Self.names) as? String == "a,e")
        }
        #expect(try container.viewContext.count(for: FetchRequest<Package>()) == 2)
    }
}
