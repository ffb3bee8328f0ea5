import DuramenMemory
import DuramenStore
import DuramenTestKit
import StoreTestSupport
import Testing

@Suite struct MemoryConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aMemoryStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { _ in .memory() })
        if case .skipped(let missing) = outcome {
            #expect(
                missing.isSubset(of: [
                    .durable, .maintenance, .batches, .history, .changeObservation,
                    .derivedAttributes,
                ]))
        }
    }

    /// What the library does with the rows of a store that leaves the rest to it.
    @Test(arguments: ConformanceSuite.cases)
    func aStoreThatOnlyWalksKeepsTheLaws(_ claim: ConformanceCase) throws {
        let outcome = try claim.run(
            StoreFixture(largeRowBytes: largeRowBytes) { _ in .memory().walking })
        if case .skipped(let missing) = outcome {
            #expect(
                missing.isSubset(of: [
                    .durable, .maintenance, .batches, .history, .changeObservation,
                    .derivedAttributes,
                ]))
        }
    }
}
