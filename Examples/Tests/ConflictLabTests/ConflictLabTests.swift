import Duramen
import DuramenMemory
import ExampleSupport
import PackageModel
import Testing

@testable import ConflictLab

@MainActor
struct ConflictLabTests {
    /// Five packages that need each other.
    private func container() throws -> PersistentContainer {
        let container = try PersistentContainer.open(
            model: PackageGraph.model(), stores: [.memory()])
        let context = container.makeContext()
        let packages = ["a", "b", "c", "d", "e"].map { name in
            let package = Package(context: context)
            package.identifier = name
            package.state = .installed
            return package
        }
        for (place, package) in packages.enumerated() {
            for other in packages[..<place] { package.dependencies.insert(other) }
        }
        try context.save()
        return container
    }

    @Test("The lab shows every policy and leaves the store as it was")
    func everyPolicyIsShown() throws {
        let container = try container()
        let lab = try #require(try Lab(container))
        let edits = try lab.edits().description
        let others = try lab.deletionsAndTwins().description
        for name in Trial.all.map(\.name) {
            #expect(edits.contains(name) && others.contains(name))
            #expect(lab.reasons().description.contains(name))
        }
        let context = container.makeContext()
        let left = try context.fetch(FetchRequest<Package>().sorted(by: \.identifier))
        #expect(left.map(\.identifier) == ["a", "b", "c", "d", "e"])
    }

    @Test("Its table says what won")
    func theTableSaysWhatWon() throws {
        let lab = try #require(try Lab(try container()))
        let expected = [
            "error":
                "first (refused) first (refused) before (refused) 101 (refused) first (refused)",
            "mergeByPropertyStoreTrump": "first first second 101 first and second",
            "mergeByPropertyObjectTrump": "second first second 110 first and second",
            "fill": "second first second 110 first and second",
            "overwrite": "second before second 110 second",
            "rollback": "first first before 101 first",
            "custom": "second first second 111 first and second",
        ]
        #expect(rows(try lab.edits()) == expected)
        let others = [
            "error": "refused refused refused",
            "mergeByPropertyStoreTrump": "of the first gone of the first",
            "mergeByPropertyObjectTrump": "gone of the second of the second, homepage lost",
            "fill": "gone of the second of the second",
            "overwrite": "gone of the second of the second, homepage lost",
            "rollback": "of the first gone of the first",
            "custom": "gone of the second of the second, homepage lost",
        ]
        #expect(rows(try lab.deletionsAndTwins()) == others)
    }

    @Test("A store with too few packages has nothing to copy")
    func nothingToCopy() throws {
        let container = try PersistentContainer.open(
            model: PackageGraph.model(), stores: [.memory()])
        #expect(try Lab(container).map(\.original) == nil)
    }

    /// The cells of each row, by the first of them.
    private func rows(_ table: some CustomStringConvertible) -> [String: String] {
        var rows: [String: String] = [:]
        for line in table.description.split(separator: "\n").dropFirst(2) {
            let words = line.split(separator: " ")
            rows[String(words[0])] = words.dropFirst().joined(separator: " ")
        }
        return rows
    }
}
