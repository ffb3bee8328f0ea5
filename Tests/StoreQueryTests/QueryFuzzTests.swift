import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct QueryFuzzTests {
    @Test func randomQuestionsAreAnsweredAlikeByTheEvaluatorAndEveryStore() throws {
        let seed = randomSeed()
        var coverage = FuzzCoverage()
        for world in 0..<UInt64(repetitions(60)) {
            let folder = TemporaryFolder()
            let path = folder.path
            let fuzz = try QueryFuzz(
                seed: seed &+ world,
                [
                    (
                        "memory",
                        StoreFixture { number in .memory("fuzz-\(seed)-\(world)-\(number)") }
                    ),
                    ("the library", StoreFixture { _ in .memory().walking }),
                    (
                        "SQLite",
                        StoreFixture { number in
                            .sqlite("\(path)/\(number).sqlite").durability(.relaxed)
                        }
                    ),
                    (
                        "LMDB",
                        StoreFixture { number in
                            .lmdb("\(path)/\(number).lmdb").durability(.relaxed)
                        }
                    ),
                ])
            coverage.add(try fuzz.run(questions: 50))
        }
        #expect(coverage.refused * 10 < coverage.cases)
        #expect(coverage.discerning * 10 > coverage.cases)
        print(
            "\(coverage.cases) questions, \(coverage.refused) refused, not asked: \(coverage.missing)"
        )
    }
}
