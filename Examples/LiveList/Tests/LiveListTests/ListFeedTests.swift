import Duramen
import PackageModel
import Testing

@testable import LiveListKit

/// What the pages are told.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ListFeedTests {
    @Test func aPageBeginsWithTheListAndIsToldOfEachChange() async throws {
        let container = try await makeContainer(["admin": ["b"], "libs": ["c", "d"]])
        let feed = try ListFeed(container.viewContext)
        var messages = feed.messages().makeAsyncIterator()
        let list = await messages.next()
        guard case .list(let sections)? = list else {
            Issue.record("\(String(describing: list)) is no list")
            return
        }
        #expect(sections.map(\.name) == ["admin", "libs"])
        #expect(sections.map { $0.rows.map(\.name) } == [["b"], ["c", "d"]])

        try await container.change { try $0.package("d")?.version = "2" }
        guard case .change(let update)? = await messages.next() else {
            return try #require(Bool(false), "no change came")
        }
        #expect(update.updatedRows.map(\.package.version) == ["2"])
        #expect(update.updatedRows.map(\.place) == [.init(section: 1, row: 1)])
        #expect(update.removedRows.isEmpty && update.insertedRows.isEmpty)

        // A row that moves to a section that comes, out of one that goes.
        try await container.change { try $0.package("b")?.section = $0.section("net") }
        guard case .change(let move)? = await messages.next() else {
            return try #require(Bool(false), "no change came")
        }
        #expect(move.removedRows == [.init(section: 0, row: 0)])
        #expect(move.removedSections == [0])
        #expect(move.insertedSections == [.init(index: 1, name: "net")])
        #expect(move.insertedRows.map(\.package) == sections[0].rows)
        #expect(move.insertedRows.map(\.place) == [.init(section: 1, row: 0)])
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func messagesLeadFromEachListToTheNext(seed: UInt64) async throws {
        let names = (0..<30).map { "package-\($0)" }
        let sectionNames = ["admin", "libs", "net", "web"]
        let container = try await makeContainer(["admin": Array(names.prefix(12))])
        let feed = try ListFeed(container.viewContext)
        var messages = feed.messages().makeAsyncIterator()
        var mirror = Mirror()
        var random = SplitMix(state: seed)
        for _ in 0..<60 {
            let steps = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (
                    names.randomElement(using: &random)!,
                    sectionNames.randomElement(using: &random)!,
                    Int.random(in: 0..<4, using: &random)
                )
            }
            try await container.change { context in
                for (name, section, kind) in steps {
                    guard let package = try context.package(name) else {
                        try context.addPackage(name, to: section)
                        continue
                    }
                    switch kind {
                    case 0: context.delete(package)
                    case 1: package.section = try context.section(section)
                    case 2: package.version = (package.version ?? "") + "+"
                    default: package.homepage = section
                    }
                }
            }
            // A page that comes late.
            var late = feed.messages().makeAsyncIterator()
            var expected = Mirror()
            expected.take(try #require(await late.next()))
            // What is not shown may have changed, so that a message changes nothing.
            while mirror != expected { mirror.take(try #require(await messages.next())) }
        }
        #expect(!mirror.sections.isEmpty)
    }

    @Test func aPageThatFallsBehindIsCutOff() async throws {
        let container = try await makeContainer(["admin": ["a"]])
        let feed = try ListFeed(container.viewContext, patience: 3)
        let messages = feed.messages()
        for number in 0..<5 {
            try await container.change { try $0.package("a")?.version = "new-\(number)" }
        }
        #expect(feed.followerCount == 0)
        var count = 0
        for await _ in messages { count += 1 }
        #expect(count == 3)
    }

    @Test func aContextThatIsResetBeginsTheListAnew() async throws {
        let container = try await makeContainer(["admin": ["a"]])
        let feed = try ListFeed(container.viewContext)
        var messages = feed.messages().makeAsyncIterator()
        let list = await messages.next()
        container.viewContext.reset()
        #expect(await messages.next() == list)
        try await container.change { try $0.addPackage("b", to: "admin") }
        guard case .change(let change)? = await messages.next() else {
            return try #require(Bool(false), "no change came")
        }
        #expect(change.insertedRows.map(\.package.name) == ["b"])
    }
}

/// Random numbers that a seed repeats.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
