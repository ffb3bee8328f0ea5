import DuramenMemory
import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random scripts and questions on PostgreSQL, and on the memory store.
@Suite(.enabled(if: TestServer.isThere)) struct DifferentialTests {
    @Test func postgreSQLAndMemoryAgreeAboutEveryScript() throws {
        let schemas = try TestSchemas()
        let seeds = longWorkloadSeeds(12)
        let coverage = try RandomWorkload.compare(
            seeds: seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                schemas.next().durability(.relaxed)
            } cleanUp: {
                schemas.destroyAll()
            })
        print("seeds \(seeds): \(coverage)")
        #expect(coverage.rarities == [] || isSlice)
    }

    @Test func savesThatLoseARaceAreSentAgainAndAgree() throws {
        let schemas = try TestSchemas()
        let others = try TestSchemas()
        defer { others.destroyAll() }
        let refusals = try RefusedSaves(others.next())
        let seeds = longWorkloadSeeds(4)
        try RandomWorkload.compare(
            seeds: seeds, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                let place = schemas.next().durability(.relaxed)
                try refusals.makeStore(at: place)
                return place
            } cleanUp: {
                schemas.destroyAll()
            })
        let refused = try refusals.count()
        print("seeds \(seeds): \(refused) saves refused")
        #expect(refused > 1)
    }

    @Test func randomQuestionsAreAnsweredAsTheEvaluatorAnswersThem() throws {
        let schemas = try TestSchemas()
        let seed = randomSeed()
        var coverage = FuzzCoverage()
        for world in 0..<UInt64(repetitions(8)) {
            defer { schemas.destroyAll() }
            let fuzz = try QueryFuzz(
                seed: seed &+ world,
                [
                    ("memory", StoreFixture { _ in .memory() }),
                    (
                        "PostgreSQL",
                        StoreFixture { _ in schemas.next().durability(.relaxed) }
                    ),
                ])
            coverage.add(try fuzz.run(questions: TestSizes.questions))
        }
        #expect(coverage.refused * 10 < coverage.cases)
        print("\(coverage.cases) questions, \(coverage.refused) refused")
    }
}
