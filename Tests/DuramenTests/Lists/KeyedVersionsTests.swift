import DuramenModel
import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

struct KeyedVersionsTests {
    @Test("Rows are found by their keys, however these are spread", arguments: workloadSeeds(40))
    func finding(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // Dense, in clusters, and over all numbers.
        let width = [2, 1_000, Int64.max][Int.random(in: 0..<3, using: &generator)]
        var known: [Int64: RowVersion] = [:]
        if Bool.random(using: &generator) { known[.min] = RowVersion(rawValue: 1) }
        if Bool.random(using: &generator) { known[.max] = RowVersion(rawValue: 1) }
        var key = Int64.random(in: -width...width, using: &generator)
        for _ in 0..<Int.random(in: 0..<300, using: &generator) {
            known[key] = RowVersion(rawValue: Int64.random(in: 1...3, using: &generator))
            key &+= Int64.random(in: 1...width, using: &generator)
            if Int.random(in: 0..<30, using: &generator) == 0 {
                key &+= Int64.random(in: 0...(.max), using: &generator)
            }
        }
        var versions = KeyedVersions()
        for (key, version) in known.sorted(by: { $0.key < $1.key }) {
            versions.append(key, version, of: EntityID(index: 0))
        }
        let keys = Set(known.keys)
        for (key, version) in known {
            for other in [key &+ 1, key &- 1] where !keys.contains(other) {
                let isFound = versions.takeOut(other, version)
                #expect(!isFound, "seed \(seed)")
            }
            if Bool.random(using: &generator) { continue }
            let isSame = Bool.random(using: &generator)
            let asked = isSame ? version : RowVersion(rawValue: 9)
            let isFound = versions.takeOut(key, asked)
            #expect(isFound == isSame, "seed \(seed)")
            known[key] = nil
        }
        var left: Set<Int64> = []
        versions.forEachLeft { key, _ in left.insert(key) }
        #expect(left == Set(known.keys) && versions.leftCount == left.count, "seed \(seed)")
    }
}
