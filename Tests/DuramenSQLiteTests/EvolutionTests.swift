import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    let folder = TemporaryFolder()

    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() {
        let differences = differencesAfterEvolutions(seed: randomSeed()) { number in
            .sqlite(folder.file("\(number)")).durability(.unsafeNoSync)
        }
        #expect(differences == [])
    }
}
