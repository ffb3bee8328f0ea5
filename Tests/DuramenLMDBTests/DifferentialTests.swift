import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Random scripts on LMDB, and on the memory store and SQLite.
@Suite struct DifferentialTests {
    private static let seeds = workloadSeeds(200)

    @Test func lmdbAndMemoryAgreeAboutEveryScript() throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let coverage = try RandomWorkload.compare(
            seeds: Self.seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                .lmdb("\(path)/\(UUID().uuidString).lmdb").durability(.unsafeNoSync)
                    .largestInlineValue(bytes: 100)
            })
        print("seeds \(Self.seeds): \(coverage)")
        #expect(coverage.rarities == [])
    }

    @Test func lmdbAndSQLiteAgreeAboutEveryScript() throws {
        let folder = TemporaryFolder()
        let path = folder.path
        _ = try RandomWorkload.compare(
            seeds: Self.seeds,
            first: StoreFixture { _ in
                .sqlite("\(path)/\(UUID().uuidString).sqlite").durability(.unsafeNoSync)
                    .largestInlineValue(bytes: 100)
            },
            second: StoreFixture { _ in
                .lmdb("\(path)/\(UUID().uuidString).lmdb").durability(.unsafeNoSync)
                    .largestInlineValue(bytes: 100)
            })
    }
}
