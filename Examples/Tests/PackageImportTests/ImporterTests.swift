import DebianPackages
import Duramen
import PackageImport
import PackageModel
import Testing

@MainActor
struct ImporterTests {
    let container: PersistentContainer
    var context: ManagedObjectContext { container.viewContext }

    init() throws { container = try makeContainer() }

    @Test func everyStanzaBecomesOnePackage() async throws {
        let summary = try await container.importing(sample)
        #expect(summary.inserted == 5)
        #expect(summary.packages == 5)
        #expect(try context.listedPackageCount() == 5)
        #expect(try context.count(for: FetchRequest<Section>()) == 2)
        #expect(try context.count(for: FetchRequest<Maintainer>()) == 1)
    }

    @Test func thePropertiesAreThoseOfTheStanza() async throws {
        try await container.importing(sample)
        let mailx = try #require(try container.package("mailx"))
        #expect(mailx.version == "8")
        #expect(mailx.architecture == "amd64")
        #expect(mailx.state == .installed)
        #expect(mailx.synopsis == "sends mail")
        #expect(mailx.installedSizeKiB == 200)
        #expect(mailx.homepage == nil)
        #expect(mailx.section?.name == "mail")
        #expect(mailx.maintainer?.name == "Mail Team")
        #expect(mailx.maintainer?.address == "mail@example.org")
        #expect(mailx.maintainer?.packages.identifiers == ["exim4", "mailx"])
        #expect(try container.package("exim4")?.state == .listed)
        #expect(try container.package("doc")?.homepage == "https://example.org")
    }

    @Test func theFirstAlternativeIsTheDependencyAndTheOthersAreAlternatives() async throws {
        try await container.importing(sample)
        let mailx = try #require(try container.package("mailx"))
        #expect(mailx.dependencies.identifiers == ["default-mta", "libc6"])
        #expect(mailx.alternatives.identifiers == ["mail-transport-agent"])
        let libc6 = try #require(try container.package("libc6"))
        #expect(libc6.dependents.identifiers == ["exim4", "libgcc-s1", "mailx"])
    }

    @Test func aNameThatNoStanzaListsIsKnownByItsProviders() async throws {
        try await container.importing(sample)
        let agent = try #require(try container.package("mail-transport-agent"))
        #expect(agent.state == .named)
        #expect(agent.version == nil)
        #expect(agent.providers.identifiers == ["exim4"])
        #expect(agent.alternativeDependents.identifiers == ["mailx"])
    }

    @Test(arguments: [1, 2, 3, 100])
    func theSizeOfTheChunksDoesNotMatter(stanzasPerChunk: Int) async throws {
        try await container.importing(sample, stanzasPerChunk: stanzasPerChunk)
        #expect(try context.count(for: FetchRequest<Package>()) == 7)
        #expect(try container.package("libgcc-s1")?.dependencies.identifiers == ["libc6"])
        #expect(try context.mostNeededPackages(2).map(\.identifier) == ["libc6", "default-mta"])
    }

    @Test func theLargestSectionsComeFirst() async throws {
        try await container.importing(sample + "\n\nPackage: x\nVersion: 1\nSection: libs")
        let sections = try context.packageCountsBySection()
        #expect(sections.map(\.section) == ["libs", "mail"])
        #expect(sections.map(\.packages) == [3, 2])
    }
}
