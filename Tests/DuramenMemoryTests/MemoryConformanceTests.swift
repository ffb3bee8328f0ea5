import DuramenMemory
import DuramenStore
import DuramenTestKit
import Testing

@Suite struct MemoryConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aMemoryStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let outcome = try claim.run(StoreFixture { _ in .memory() })
        if case .skipped(let missing) = outcome {
            #expect(missing == .durable || missing == .maintenance)
        }
    }
}
