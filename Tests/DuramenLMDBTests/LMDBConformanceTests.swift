import DuramenLMDB
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct LMDBConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func anLMDBStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let folder = TemporaryFolder()
        let path = folder.path
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { number in
                .lmdb("\(path)/\(number).lmdb").durability(.relaxed)
            })
        if case .skipped(let missing) = outcome, missing != .groupSaves {
            Issue.record("skipped for lack of \(missing)")
        }
    }
}
