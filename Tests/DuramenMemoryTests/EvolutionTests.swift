import DuramenMemory
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() throws {
        let seed = randomSeed()
        let count = workloadSeeds(100).count
        var counts: [String: Int] = [:]
        for number in 0..<count {
            let description = PersistentStoreDescription.memory("evolution \(seed) \(number)")
            defer { try? description.type.destroy(description) }
            var run = EvolutionRun(seed: seed, case: number, on: description)
            do { try run.run() } catch { Issue.record("case \(number): \(error)") }
            counts.merge(run.counts) { $0 + $1 }
        }
        // Many have some of everything.
        if count >= 1_000 { #expect(EvolutionRun.kinds.filter { counts[$0] == nil } == []) }
    }
}
