import DuramenLMDB
import DuramenStore
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    let folder = TemporaryFolder()

    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() {
        let differences = differencesAfterEvolutions(seed: randomSeed()) { number in
            .lmdb(folder.file("\(number)")).durability(.unsafeNoSync)
        }
        #expect(differences == [])
    }
}
