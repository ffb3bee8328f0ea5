import DocumentationSupport
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
            "RegularExpressionError", "ArchiveError", "FrozenModelError", "ImportError",
            "TestSupportError",
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
            for link in try Repository.text(document).matches(of: /\]\(([^)#:]*)(?:#([^)]*))?\)/) {
                let path = String(link.output.1)
                let target =
                    path.isEmpty
                    ? Repository.root.appending(path: document) : folder.appending(path: path)
                #expect(Repository.exists(target), "\(document) links to \(path)")
                guard let heading = link.output.2, path.isEmpty || path.hasSuffix(".md") else {
                    continue
                }
                let text = try String(contentsOf: target, encoding: .utf8)
                #expect(
                    anchors(of: text).contains(String(heading)),
                    "\(document) links to \(path)#\(heading)")
            }
        }
    }

    @Test func theDecisionsAreNumberedWithoutGaps() throws {
        let numbers = try Repository.files(in: "docs/decisions", withExtension: "md")
            .compactMap { $0.firstMatch(of: /\/(\d{4})-/).flatMap { Int($0.output.1) } }
        #expect(!numbers.isEmpty)
        #expect(numbers == Array(1..<numbers.count + 1))
    }

    /// The code is compiled and run by other targets; here it is compared.
    @Test(arguments: [
        ("README.md", "Tests/Programs"),
        ("Sources/Duramen/Duramen.docc/MeetDuramen.md", "Tests/Programs"),
        ("Sources/Duramen/Duramen.docc/AListThatUpdatesItself.md", "Tests/Programs"),
    ])
    func aDocumentShowsCodeThatIsTested(document: String, folder: String) throws {
        let tested = try Repository.files(in: folder, withExtension: "swift")
            .map {
                "\n" + significantLines(of: try Repository.text($0)).joined(separator: "\n") + "\n"
            }
        let blocks = try Repository.text(document).matches(of: /(?s)```swift\n(.*?)```/)
            .map { String($0.output.1) }.filter { !$0.contains("import PackageDescription") }
        #expect(!blocks.isEmpty)
        for block in blocks {
            // Tests write into a temporary folder.
            let code = significantLines(of: block.replacing("\"library.sqlite\"", with: "path"))
            let lines = "\n" + code.joined(separator: "\n") + "\n"
            let isProgram = folder == "Tests/Programs"
            let plain = "\n" + significantLines(of: block).joined(separator: "\n") + "\n"
            #expect(
                tested.contains { $0.contains(isProgram ? plain : lines) },
                "Not in one piece in \(folder): \(block)")
        }
    }

    @Test(arguments: [
        "README.md", "Sources/Duramen/Duramen.docc/MeetDuramen.md",
        "Sources/Duramen/Duramen.docc/AListThatUpdatesItself.md",
    ])
    func aManifestNamesProductsOfThePackage(document: String) throws {
        let package = try Repository.text("Package.swift")
        let manifests = try Repository.text(document).matches(of: /(?s)```swift\n(.*?)```/)
            .map(\.output.1).filter { $0.contains("import PackageDescription") }
        #expect(!manifests.isEmpty)
        for manifest in manifests {
            #expect(manifest.hasPrefix("// swift-tools-version: 6.2\n"))
            let names = manifest.matches(of: /\.product\(name: "(\w+)", package: "duramen"\)/)
            #expect(names.count >= 3)
            for name in names.map(\.output.1) {
                #expect(package.contains(".library(name: \"\(name)\", targets:"), "\(name)")
            }
        }
    }

    /// Lines such as "1. `fetch(` in `Duramen/Fetching/ManagedObjectContext+Fetching.swift` …".
    @Test func aWalkThroughTheCodeNamesFunctionsThatExist() throws {
        var file = ""
        var count = 0
        for line in try Repository.text("docs/architecture.md").split(separator: "\n") {
            guard let hop = line.firstMatch(of: /^\d+\. `(\w+)\(` in (?:`(\S+)`|the same file)/)
            else { continue }
            if let named = hop.output.2 { file = String(named) }
            let source = try Repository.text("Sources/\(file)")
            #expect(source.contains("func \(hop.output.1)"), "\(line)")
            count += 1
        }
        #expect(count > 30)
    }

    @Test func theReadmeIsShort() throws {
        #expect(
            try Repository.text("README.md").split(
                separator: "\n", omittingEmptySubsequences: false
            ).count <= 251)
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

    /// The names by which headings of a document are linked to.
    private func anchors(of text: String) -> [String] {
        text.matches(of: /(?m)^#+ (.*)$/).map { heading in
            heading.output.1.lowercased().replacing(" ", with: "-")
                .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
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
