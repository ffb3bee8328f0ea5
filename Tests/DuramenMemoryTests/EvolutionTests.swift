import DuramenMemory
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() throws {
        let seed = randomSeed()
        var counts: [String: Int] = [:]
        for number in 0..<repetitions(100) {
            let description = PersistentStoreDescription.memory("evolution \(seed) \(number)")
            defer { try? description.type.destroy(description) }
            var run = EvolutionRun(
                seed: seed, case: number, on: description)
            do { try run.run() } catch { Issue.record("case \(number): \(error)") }
            counts.merge(run.counts) { $0 + $1 }
        }
        print(counts.sorted { $0.value < $1.value })
    }
}
