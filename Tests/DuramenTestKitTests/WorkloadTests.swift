import DuramenMemory
import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct WorkloadTests {
    private static let seeds = workloadSeeds(60)

    @Test func twoMemoryStoresAgreeAboutEveryScript() throws {
        let coverage = try RandomWorkload.compare(
            seeds: Self.seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in .memory() })
        print("seeds \(Self.seeds): \(coverage)")
        #expect(coverage.rarities == [])
    }

    @Test(arguments: [
        SaboteurEntry(.pushdown, HidesNullsFromNotEqual.self),
        SaboteurEntry(.pushdown, PutsNullsLast.self),
        SaboteurEntry(.simultaneity, JudgesUniquenessAtOnce.self),
        SaboteurEntry(.simultaneity, JudgesByCanonicalEquivalence.self),
        SaboteurEntry(.atomicity, LetsTheLastUpdateWin.self),
        SaboteurEntry(.atomicity, ReportsNoStoredRows.self),
        SaboteurEntry(.atomicity, WritesWhatDoesNotConflict.self),
        SaboteurEntry(.atomicity, EndsTextsAtNUL.self),
        SaboteurEntry(.versions, BeginsAgainWithEachLife.self),
    ])
    func aSabotagedStoreIsFoundAndTheScriptShrunk(_ entry: SaboteurEntry) throws {
        for seed in 1..<UInt64(200) {
            do {
                try RandomWorkload.compare(
                    seed: seed, first: StoreFixture { _ in .memory() }, second: entry.fixture())
            } catch let failure as WorkloadFailure {
                #expect(failure.seed == seed)
                #expect(failure.script.count <= 30, "\(failure)")
                print("\(entry) is found by seed \(seed) in \(failure.script.count) steps")
                return
            }
        }
        Issue.record("no script finds \(entry)")
    }

    @Test func aSeedAlwaysMakesTheSameScript() throws {
        let runs = try (0..<2).map { _ in
            try RandomWorkload.compare(
                seed: 7, first: StoreFixture { _ in .memory() },
                second: StoreFixture { _ in .memory() })
        }
        #expect(runs[0] == runs[1])
    }
}
