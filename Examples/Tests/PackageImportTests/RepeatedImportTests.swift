import DebianPackages
import Duramen
import PackageImport
import PackageModel
import Testing

@MainActor
struct RepeatedImportTests {
    let container: PersistentContainer
    var context: ManagedObjectContext { container.viewContext }

    init() throws { container = try makeContainer() }

    @Test func importingTwiceChangesNothing() async throws {
        try await container.importing(sample)
        let versions = try context.fetch(FetchRequest<Package>()).count
        let summary = try await container.importing(sample)
        #expect(summary.unchanged == 5)
        #expect(summary.packages == 5)
        #expect(try context.count(for: FetchRequest<Package>()) == versions)
        #expect(try context.count(for: FetchRequest<Section>()) == 2)
        #expect(try context.count(for: FetchRequest<Maintainer>()) == 1)
    }

    @Test func anUpgradeUpdatesThePackageAndItsPlaceInTheGraph() async throws {
        try await container.importing(sample)
        let summary = try await container.importing(
            """
            Package: mailx
            Version: 9
            Architecture: amd64
            Status: install ok installed
            Section: net
            Depends: libc6, libnew
            """)
        #expect(summary.updated == 1)
        let mailx = try #require(try container.package("mailx"))
        try context.refresh(mailx, mergeChanges: false)
        #expect(mailx.version == "9")
        #expect(mailx.synopsis == nil)
        #expect(mailx.section?.name == "net")
        #expect(mailx.maintainer == nil)
        #expect(mailx.dependencies.identifiers == ["libc6", "libnew"])
        #expect(mailx.alternatives.isEmpty)
        #expect(try container.package("default-mta")?.dependents.isEmpty == true)
    }

    @Test func anIndexDoesNotForgetWhatIsInstalled() async throws {
        try await container.importing(sample)
        try await container.importing("Package: libc6\nVersion: 3\nArchitecture: amd64")
        #expect(try container.package("libc6")?.version == "3")
        #expect(try container.package("libc6")?.state == .installed)
    }

    @Test func aSecondArchitectureIsAPackageOfItsOwn() async throws {
        let both = """
            Package: libc6
            Version: 2
            Architecture: amd64

            Package: libc6
            Version: 2
            Architecture: i386
            """
        let first = try await container.importing(both, stanzasPerChunk: 10)
        #expect(first.inserted == 2)
        let second = try await container.importing(both, stanzasPerChunk: 1)
        #expect(second.unchanged == 2)
        #expect(try container.package("libc6")?.architecture == "amd64")
        #expect(try container.package("libc6:i386")?.architecture == "i386")
    }

    @Test func aPackageMayChangeToAllArchitectures() async throws {
        try await container.importing("Package: doc\nVersion: 1\nArchitecture: amd64")
        let summary = try await container.importing("Package: doc\nVersion: 2\nArchitecture: all")
        #expect(summary.updated == 1)
        #expect(try context.listedPackageCount() == 1)
    }
}
