import DuramenMemory
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Random scripts on the memory store and on SQLite.
@Suite struct DifferentialTests {
    private static let seeds = workloadSeeds(200)

    @Test func theStoresAgreeAboutEveryScript() throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let coverage = try RandomWorkload.compare(
            seeds: Self.seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                .sqlite("\(path)/\(UUID().uuidString).sqlite").durability(.unsafeNoSync)
                    .largestInlineValue(bytes: 100)
            })
        print("seeds \(Self.seeds): \(coverage)")
        #expect(coverage.rarities == [])
    }
}
