import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// Random versions of random models.
@Suite(.enabled(if: TestServer.isThere)) struct EvolutionTests {
    @Test func aStoreHoldsAfterAnyChangesOfItsModelWhatItShould() throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let differences = differencesAfterEvolutions(seed: randomSeed(), count: 12) { _ in
            schemas.next().durability(.unsafeNoSync)
        }
        #expect(differences == [])
    }
}
