import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenTool

/// `duramen history`
@Suite struct HistoryTests {
    private let folder = TemporaryFolder()

    /// Two stores with the same history; the first keeps its model.
    private func stores() throws -> [String] {
        let first = try Shelf(.sqlite(folder.file("a.sqlite"))).path
        let second = try Shelf(.lmdb(folder.file("b.lmdb"))).path
        for description in [PersistentStoreDescription.sqlite(first), .lmdb(second)] {
            var description = description.keepingHistory()
            description.clock = StoreClock(date: { Date(timeIntervalSinceReferenceDate: 1.5) }) {
                .zero
            }
            let store = try description.open(model: Shelf.model)
            let id = try store.insert("Book", ["title": .text("New\u{1B}[31m")])
            var update = ChangeSet(author: "Ann\nBo", contextName: "desk")
            update.updates = [try store.update(id, ["pages": .integer(3), "title": .text("x")])]
            try store.saved(update)
            try store.delete(id)
            try store.close()
        }
        return [first, second]
    }

    @Test("Transactions and changes are printed, of a part too")
    func printing() throws {
        let stores = try stores()
        for store in stores {
            func run(_ more: String...) throws -> Tool {
                try Tool(["history", store] + more)
            }
            let all = try run()
            #expect(all.status == 0 && all.errors == "")
            let lines = all.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 7)
            let process = ProcessInfo.processInfo.processIdentifier
            let first = try #require(Int(lines[0].prefix { $0 != " " }))
            #expect(lines[0].hasPrefix("\(first)  2001-01-01T00:00:01.5Z  author -  context -  "))
            #expect(lines[0].hasSuffix(" \(process)"))
            #expect(lines[1].hasPrefix("  insert  Book/p"))
            #expect(lines[2].contains("  author Ann\\nBo  context desk  "))
            #expect(lines[3].hasSuffix("  pages, title"))
            #expect(lines[5].hasPrefix("  delete  Book/p"))
            let token = String(lines[6].dropFirst(6))
            #expect(
                PersistentHistoryToken(token)?.transactionNumbers.values.first == Int64(first + 2))
            // From a number, from a token, of an author, at most so many.
            #expect(try run("--after", "\(first + 1)").output.split(separator: "\n").count == 3)
            #expect(try run("--after", token).output == "token \(token)\n")
            #expect(
                try run("--author", "Ann\nBo", "--transactions-only").output.split(separator: "\n")
                    .count == 2)
            #expect(try run("--limit", "1").output.split(separator: "\n").count == 3)
            let json = try run("--json").output.split(separator: "\n")
            #expect(json.count == 3)
            for line in json {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let entries = try #require(object as? [String: Any])
                #expect(entries["timestamp"] as? String == "2001-01-01T00:00:01.5Z")
                #expect((entries["changes"] as? [Any])?.count == 1)
            }
        }
    }

    @Test("What is not there is said in one line")
    func refusals() throws {
        let stores = try stores()
        let shelf = try Shelf(.lmdb(folder.file("plain.lmdb")))
        for (arguments, code) in [
            ([shelf.path], "historyMissing"),
            ([stores[0], "--after", "0"], "historyTokenExpired"),
            ([stores[0], "--after", "9999"], "historyTokenExpired"),
            ([stores[0], "--after", "\(UUID().uuidString):1"], "historyTokenUnknown"),
        ] {
            let tool = try Tool(["history"] + arguments)
            #expect(tool.status == 1 && tool.output == "", "\(arguments)")
            #expect(tool.errors.hasSuffix("[\(code)]\n"), "\(tool.errors)")
        }
        #expect(try Tool("history", stores[0], "--after", "x").status == 64)
        #expect(try Tool("history", stores[0], "--limit", "-1").status == 64)
    }

    @Test("What deleted objects leave is hidden where it is confidential")
    func hiding() throws {
        let model = testModel([
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription("name", .string, isOptional: true).preservedOnDeletion(),
                    AttributeDescription("secret", .string, isOptional: true)
                        .preservedOnDeletion().confidential(),
                ])
        ])
        let store = try PersistentStoreDescription.memory().keepingHistory().open(model: model)
        let id = try store.insert(
            "Person", ["name": .text("A"), "secret": .text("swordfish")])
        try store.delete(id)
        let told = try #require(try store.historyTracking().history(HistoryRequest()).last)
        func lines(_ shows: Bool) -> String {
            let lines = HistoryLines(model: model, showsConfidential: shows)
            return lines.text(told) + lines.json(told)
        }
        #expect(
            !lines(false).contains("swordfish") && lines(false).contains("name = A, secret = •••"))
        #expect(lines(true).contains("secret = swordfish"))
        #expect(lines(true).contains("\"secret\": \"swordfish\""))
        try store.close()
    }
}
