import DuramenSQLite
import DuramenStore
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite struct EvolutionTests {
    let folder = TemporaryFolder()

    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() {
        let differences = differencesAfterEvolutions(seed: randomSeed()) { number in
            // Every other store has checksums, which reading after a migration compares.
            .sqlite(folder.file("\(number)")).durability(.unsafeNoSync)
                .rowChecksums(number.isMultiple(of: 2))
        }
        #expect(differences == [])
    }
}
