import DuramenSQLite
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct SQLiteConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aSQLiteStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { number in
                .sqlite("\(path)/\(number).sqlite").durability(.relaxed)
            })
        if case .skipped(let missing) = outcome { Issue.record("skipped for lack of \(missing)") }
    }
}
