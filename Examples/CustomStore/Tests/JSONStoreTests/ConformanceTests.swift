import DuramenMemory
import DuramenStore
import DuramenTestKit
import Foundation
import JSONStore
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: ConformanceSuite.cases)
    func aJSONStoreKeepsTheLaws(_ claim: ConformanceCase) throws {
        let folder = TemporaryFolder()
        let outcome = try claim.run(
            // All of the store is written as text at every save.
            StoreFixture(largeRowBytes: 1 << 20) { number in
                .json(folder.path("\(number).json")).durability(.unsafeNoSync)
            })
        if case .skipped(let missing) = outcome {
            let undeclared: StoreCapabilities = [
                .maintenance, .batches, .history, .changeObservation, .derivedAttributes,
                .groupSaves,
            ]
            #expect(missing.isSubset(of: undeclared))
        }
    }

    /// `DURAMEN_SCRIPTS=1000` runs that many; `DURAMEN_SEED` begins elsewhere. A failure prints its
    /// seed.
    @Test func aJSONStoreAgreesWithTheMemoryStoreAboutEveryScript() throws {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["DURAMEN_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["DURAMEN_SCRIPTS"].flatMap { UInt64($0) } ?? 30
        let folder = TemporaryFolder()
        try RandomWorkload.compare(
            seeds: first..<first + count, first: StoreFixture { _ in .memory() },
            second: StoreFixture { _ in
                .json(folder.path("\(UUID().uuidString).json")).durability(.unsafeNoSync)
            })
    }
}
