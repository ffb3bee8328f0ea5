import DuramenLMDB
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    let folder = TemporaryFolder()

    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() throws {
        let seed = randomSeed()
        let count = workloadSeeds(100).count
        var counts: [String: Int] = [:]
        for number in 0..<count {
            let path = folder.file("\(number).lmdb")
            let store = PersistentStoreDescription.lmdb(path).durability(.unsafeNoSync)
            var run = EvolutionRun(seed: seed, case: number, on: store)
            do { try run.run() } catch { Issue.record("case \(number): \(error)") }
            counts.merge(run.counts) { $0 + $1 }
        }
        // Many have some of everything.
        if count >= 1_000 { #expect(EvolutionRun.kinds.filter { counts[$0] == nil } == []) }
    }
}
