import Foundation
import Testing

struct DocumentationTests {
    @Test func everyErrorCodeHasItsHeading() throws {
        let declared = try ErrorCode.declared()
        // Guards the scan itself: each of the types is found.
        let types: Set = [
            "ModelError", "ModelFileError", "FetchPredicateError", "StoreError", "ContextError",
            "ValidationError",
            "SaveConflictError", "PredicateFormatError", "PredicateConversionError",
            "RegularExpressionError", "ArchiveError", "FrozenModelError",
        ]
        #expect(Set(declared.map(\.type)) == types)
        #expect(declared.subtracting(try ErrorCode.documented()).sorted() == [])
    }

    @Test func everyHeadingStandsForACodeThatExists() throws {
        let documented = try ErrorCode.documented()
        #expect(Set(documented).subtracting(try ErrorCode.declared()).sorted() == [])
        #expect(Set(documented).count == documented.count)
    }

    @Test func everyErrorCodeHasACauseAndARemedy() throws {
        let sections = try Repository.text("docs/errors.md").components(separatedBy: "\n### ")
            .dropFirst()
        for section in sections {
            #expect(section.contains("*Cause.*"), "\(section.prefix(40))")
            #expect(section.contains("*Remedy.*"), "\(section.prefix(40))")
        }
    }

    @Test func everyLinkBetweenDocumentsLeadsToAFile() throws {
        let documents =
            ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            + (try Repository.files(in: "docs", withExtension: "md"))
            + (try Repository.files(in: "Examples", withExtension: "md"))
        for document in documents {
            let folder = Repository.root.appending(path: document).deletingLastPathComponent()
            for link in try Repository.text(document).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                let target = folder.appending(path: String(link.output.1))
                #expect(Repository.exists(target), "\(document) links to \(link.output.1)")
            }
        }
    }

    @Test func theDecisionsAreNumberedWithoutGaps() throws {
        let numbers = try Repository.files(in: "docs/decisions", withExtension: "md")
            .compactMap { $0.firstMatch(of: /\/(\d{4})-/).flatMap { Int($0.output.1) } }
        #expect(!numbers.isEmpty)
        #expect(numbers == Array(1..<numbers.count + 1))
    }

    /// The example of the README is compiled and run by another target; here the two are compared.
    @Test func theReadmeShowsTheExampleThatIsTested() throws {
        let tested = try lines(of: "Tests/DuramenMacrosTests/ReadmeExampleTests.swift")
        let readme = try Repository.text("README.md")
        let blocks = readme.matches(of: /(?s)```swift\n(.*?)```/).map(\.output.1)
        #expect(blocks.count >= 3)
        for block in blocks where !block.contains(".package(") {
            // The test writes into a temporary folder.
            let code = String(block).replacing("\"library.sqlite\"", with: "path")
            for line in significantLines(of: code) {
                #expect(tested.contains(line), "Not in the tested example: \(line)")
            }
        }
    }

    /// The guide to stores shows code of the store beside it, which is compiled and tested.
    @Test func theGuideToStoresShowsCodeThatIsTested() throws {
        let folder = "Examples/CustomStore"
        var compiled: Set<String> = []
        for path in try Repository.files(in: folder, withExtension: "swift") {
            compiled.formUnion(try lines(of: path))
        }
        let guide = try Repository.text("\(folder)/README.md")
        let blocks = guide.matches(of: /(?s)```swift\n(.*?)```/).map(\.output.1)
        #expect(blocks.count >= 3)
        for line in blocks.flatMap({ significantLines(of: String($0)) }) {
            #expect(compiled.contains(line), "Not in the store: \(line)")
        }
    }

    private func lines(of path: String) throws -> Set<String> {
        Set(significantLines(of: try Repository.text(path)))
    }

    private func significantLines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    }
}
