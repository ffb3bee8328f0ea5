package import DuramenTestKit
import Foundation

/// The seed of a random test, which is printed: `DURAMEN_SEED`, or one of this run.
package func randomSeed(_ test: String = #function) -> UInt64 {
    let seed = setting("DURAMEN_SEED") ?? UInt64.random(in: 1...1_000_000_000)
    print("\(test): DURAMEN_SEED=\(seed)")
    return seed
}

/// How often a random test repeats itself: as usual, or `DURAMEN_SCRIPTS` times when that is more.
package func repetitions(_ usual: Int) -> Int {
    max(usual, setting("DURAMEN_SCRIPTS").flatMap { Int(exactly: $0) } ?? usual)
}

/// A share of the cases of a matrix, by chance: as many as usual, `DURAMEN_SCRIPTS` when that is
/// more, or fewer where that asks for a slice.
package func share<Case>(of cases: [Case], usual: Int, seed: UInt64) -> [Case] {
    var random = SplitMix64(seed: seed)
    return Array(cases.shuffled(using: &random).prefix(min(repetitions(usual), rounds(.max))))
}

/// The seeds of workloads of many steps: as ``workloadSeeds(_:)``, but few where `DURAMEN_SCRIPTS`
/// asks for a slice.
package func longWorkloadSeeds(_ usual: UInt64) -> Range<UInt64> {
    guard isSlice else { return workloadSeeds(usual) }
    let first = setting("DURAMEN_SEED") ?? 1
    return first..<first + min(usual, 2)
}

/// How many rounds of threads that race a test runs: as usual, or fewer where `DURAMEN_SCRIPTS`
/// asks for a slice, as under a sanitizer.
package func rounds(_ usual: Int) -> Int {
    min(usual, setting("DURAMEN_SCRIPTS").flatMap { Int(exactly: $0 * 10) } ?? usual)
}

/// How many bytes the largest rows of conformance cases have: as usual, or few where
/// `DURAMEN_SCRIPTS` asks for a slice, as under a sanitizer.
package var largeRowBytes: Int { isSlice ? 2 << 20 : 64 << 20 }

/// Whether `DURAMEN_SCRIPTS` asks for a slice, as under a sanitizer.
package var isSlice: Bool { setting("DURAMEN_SCRIPTS").map { $0 < 100 } ?? false }

/// The seeds of random workloads, from `DURAMEN_SEED` or 1: `DURAMEN_SCRIPTS`, or the usual number.
package func workloadSeeds(_ usual: UInt64) -> Range<UInt64> {
    let first = setting("DURAMEN_SEED") ?? 1
    return first..<first + (setting("DURAMEN_SCRIPTS") ?? usual)
}

extension WorkloadCoverage {
    /// What workloads must exercise and did in less than one step of a hundred.
    package var rarities: [String] {
        required.filter { $0.count * 100 <= steps }.map(\.name)
    }
}

private func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
}
