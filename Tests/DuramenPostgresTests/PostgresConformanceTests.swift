import DuramenPostgres
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite(.enabled(if: TestServer.isThere)) struct PostgresConformanceTests {
    /// Rows of the usual size take half a minute; runs that ask for more scripts have them.
    private static let largestRow = repetitions(1) > 1 ? largeRowBytes : 8 << 20

    @Test(arguments: ConformanceSuite.cases)
    func aPostgreSQLStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let schemas = try TestSchemas()
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: Self.largestRow) { _ in
                schemas.next().durability(.relaxed)
            } cleanUp: {
                schemas.destroyAll()
            })
        if case .skipped(let missing) = outcome { Issue.record("skipped for lack of \(missing)") }
    }
}
