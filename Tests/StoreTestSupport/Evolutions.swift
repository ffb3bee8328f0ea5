package import DuramenStore
import DuramenTestKit

/// Runs random versions of random models on one kind of store.
///
/// - Parameters:
///   - seed: The seed.
///   - usual: The number of models, unless `DURAMEN_SCRIPTS` says another.
///   - describe: Names a place where no store is; the number is another one each time.
/// - Returns: What was wrong; nothing when all is well.
package func differencesAfterEvolutions(
    seed: UInt64, count usual: UInt64 = 100, _ describe: (Int) -> PersistentStoreDescription
) -> [String] {
    let count = workloadSeeds(usual).count
    var differences: [String] = []
    var counts: [String: Int] = [:]
    for number in 0..<count {
        var run = EvolutionRun(seed: seed, case: number, on: describe(number))
        do { try run.run() } catch { differences.append("case \(number): \(error)") }
        counts.merge(run.counts) { $0 + $1 }
    }
    // Many have some of everything.
    if count >= 1_000 {
        differences += EvolutionRun.kinds.filter { counts[$0] == nil }.map { "no run had \($0)" }
    }
    return differences
}
