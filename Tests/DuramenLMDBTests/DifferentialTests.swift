import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import Testing

/// Random scripts on LMDB, and on the memory store and SQLite.
@Suite struct DifferentialTests {
    /// `DURAMEN_SCRIPTS=10000` runs that many; `DURAMEN_SEED` begins elsewhere.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["DURAMEN_SEED"].flatMap { UInt64($0) } ?? 1
        return first..<first + (environment["DURAMEN_SCRIPTS"].flatMap { UInt64($0) } ?? 200)
    }()

    @Test func lmdbAndMemoryAgreeAboutEveryScript() throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let coverage = try RandomWorkload.compare(
            seeds: Self.seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                .lmdb("\(path)/\(UUID().uuidString).lmdb").durability(.unsafeNoSync)
            })
        print("seeds \(Self.seeds): \(coverage)")
        for (name, count) in coverage.required {
            #expect(count * 100 > coverage.steps, "\(name) are too rare")
        }
    }

    @Test func lmdbAndSQLiteAgreeAboutEveryScript() throws {
        let folder = TemporaryFolder()
        let path = folder.path
        _ = try RandomWorkload.compare(
            seeds: Self.seeds,
            first: StoreFixture { _ in
                .sqlite("\(path)/\(UUID().uuidString).sqlite").durability(.unsafeNoSync)
            },
            second: StoreFixture { _ in
                .lmdb("\(path)/\(UUID().uuidString).lmdb").durability(.unsafeNoSync)
            })
    }
}
