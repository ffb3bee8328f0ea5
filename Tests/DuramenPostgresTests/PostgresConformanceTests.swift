import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite(.enabled(if: TestServer.isThere)) struct PostgresConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aPostgreSQLStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let schemas = try TestSchemas()
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { _ in
                schemas.next().durability(.relaxed)
            } cleanUp: {
                schemas.destroyAll()
            })
        if case .skipped(let missing) = outcome { Issue.record("skipped for lack of \(missing)") }
    }
}
