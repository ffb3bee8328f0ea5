import DuramenMemory
import DuramenModel
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@Suite struct MemoryConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aMemoryStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let name = UUID().uuidString
        let names = Locked<[String]>([])
        let fixture = StoreFixture(largeRowBytes: largeRowBytes) { number in
            names.withLock { $0.append("\(name) \(number)") }
            return .memory("\(name) \(number)")
        } cleanUp: {
            for name in names.withLock({ $0 }) { try? MemoryStoreType().destroy(.memory(name)) }
        }
        let outcome = try claim.run(fixture)
        if case .skipped(let missing) = outcome {
            #expect(
                missing.isSubset(of: [
                    .durable, .maintenance, .batches, .history, .changeObservation,
                    .derivedAttributes, .groupSaves,
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
                    .derivedAttributes, .schemaMigration, .groupSaves,
                ]))
        }
    }
}
