import DebianPackages
import Duramen
import PackageImport
import PackageModel
import Testing

@MainActor
struct HostileInputTests {
    let container: PersistentContainer
    var context: ManagedObjectContext { container.viewContext }

    init() throws { container = try makeContainer() }

    @Test func malformedStanzasAreReportedWithTheirLinesAndNothingElseIsLost() async throws {
        let text = """
            Package: first
            Version: 1

            Package: no-version

            no colon here
            Package: second
            Version: 1

            Package: third
            Version: 1
            """
        var skipped: [MalformedStanza] = []
        let summary = try await PackageImporter(container: container, stanzasPerChunk: 1)
            .run(PackageReader(bytes: Array(text.utf8))) { event in
                if case .skipped(let stanza) = event { skipped.append(stanza) }
            }
        #expect(summary.inserted == 2)
        #expect(summary.malformed == 2)
        #expect(skipped.map(\.lines) == [4...4, 6...8])
        #expect(try container.package("first") != nil)
        #expect(try container.package("third") != nil)
    }

    @Test func aChunkOfMalformedStanzasEndsNothing() async throws {
        let text = "Package: a\n\nPackage: b\n\nPackage: c\nVersion: 1"
        let summary = try await container.importing(text, stanzasPerChunk: 1)
        #expect(summary.inserted == 1)
        #expect(summary.malformed == 2)
    }

    @Test func anEmptyFileIsNoError() async throws {
        let summary = try await container.importing("")
        #expect(summary == ImportSummary())
    }

    @Test func aPackageMayNeedAndProvideItself() async throws {
        let text = "Package: self\nVersion: 1\nDepends: self, self | other\nProvides: self"
        try await container.importing(text)
        let package = try #require(try container.package("self"))
        #expect(package.dependencies.identifiers == ["self"])
        #expect(package.alternatives.identifiers == ["other"])
        #expect(package.providers.identifiers == ["self"])
        #expect(try await container.importing(text).unchanged == 1)
    }

    @Test func twoSpellingsOfALetterStayTwoMaintainers() async throws {
        let composed = "Jos\u{E9} <j@example.org>"
        let decomposed = "Jose\u{301} <j@example.org>"
        let text = """
            Package: a
            Version: 1
            Maintainer: \(composed)

            Package: b
            Version: 1
            Maintainer: \(decomposed)
            """
        try await container.importing(text, stanzasPerChunk: 10)
        #expect(try await container.importing(text, stanzasPerChunk: 1).unchanged == 2)
        #expect(try context.count(for: FetchRequest<Maintainer>()) == 2)
    }

    @Test func theSameStanzaTwiceInOneFileIsOnePackage() async throws {
        let text = "Package: a\nVersion: 1\n\nPackage: a\nVersion: 2"
        let summary = try await container.importing(text, stanzasPerChunk: 10)
        #expect(summary.inserted == 1)
        #expect(summary.updated == 1)
        #expect(try container.package("a")?.version == "2")
    }

    @Test func aFileThatEndsInAFailureKeepsTheChunksBefore() async throws {
        let importer = PackageImporter(container: container)
        await #expect(throws: PackageReaderError.self) {
            _ = try await importer.run(PackageReader(path: "/"))
        }
        #expect(try context.listedPackageCount() == 0)
    }
}
