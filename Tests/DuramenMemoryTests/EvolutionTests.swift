import DuramenMemory
import DuramenStore
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() {
        let seed = randomSeed()
        func store(_ number: Int) -> PersistentStoreDescription {
            .memory("evolution \(seed) \(number)")
        }
        let count = workloadSeeds(100).count
        defer { for number in 0..<count { try? MemoryStoreType().destroy(store(number)) } }
        #expect(differencesAfterEvolutions(seed: seed, store) == [])
    }
}
