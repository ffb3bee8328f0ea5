import DuramenModel
import DuramenQuery
import DuramenStore

/// Random scripts, run in lockstep on two stores that must agree in everything.
///
/// A seed determines a script: inserts, updates, deletes, exchanged unique values, many-to-many
/// pairs, stale saves and queries over ``WorkloadModel``. If the stores differ, the script is
/// shrunk to the necessary steps before it is reported.
public enum RandomWorkload {
    /// Runs the script of a seed on two stores.
    ///
    /// - Throws: ``WorkloadFailure`` with the seed and the shrunk script when the stores differ.
    /// - Returns: The coverage of the script.
    @discardableResult
    public static func compare(
        seed: UInt64, stepCount: Int = 80, first: StoreFixture, second: StoreFixture
    ) throws -> WorkloadCoverage {
        let script = WorkloadStep.script(seed: seed, count: stepCount)
        let result = run(script, first, second)
        guard result.difference != nil else { return result.coverage }
        let shrunk = shrink(script) { run($0, first, second).difference != nil }
        let last = run(shrunk, first, second)
        throw WorkloadFailure(
            seed: seed, difference: last.difference ?? result.difference ?? "", script: last.log)
    }

    /// Runs the scripts of several seeds, one by one.
    ///
    /// - Throws: ``WorkloadFailure`` of the first script on which the stores differ.
    /// - Returns: The coverage of all scripts.
    @discardableResult
    public static func compare(
        seeds: Range<UInt64>, stepCount: Int = 80, first: StoreFixture, second: StoreFixture
    ) throws -> WorkloadCoverage {
        var coverage = WorkloadCoverage()
        for seed in seeds {
            coverage.add(
                try compare(seed: seed, stepCount: stepCount, first: first, second: second))
        }
        return coverage
    }

    // MARK: - Running

    private struct RunResult {
        var coverage = WorkloadCoverage()
        var difference: String?
        var log: [String] = []
    }

    private static func run(
        _ script: [WorkloadStep], _ first: StoreFixture, _ second: StoreFixture
    ) -> RunResult {
        var result = RunResult()
        defer {
            first.cleanUp()
            second.cleanUp()
        }
        do {
            var planner = WorkloadPlanner()
            var runs = try [first, second].map {
                WorkloadRun(try StoreDriver($0, model: WorkloadModel.shared))
            }
            for (index, step) in script.enumerated() {
                result.coverage.steps += 1
                let before = planner
                guard let plan = planner.plan(step) else { continue }
                result.log.append("\(result.log.count + 1). \(step.kind.rawValue): \(plan)")
                let outcome = try runs[0].perform(plan)
                let other = try runs[1].perform(plan)
                if outcome != other {
                    result.difference = "the first gave \(outcome), the second \(other)"
                    return result
                }
                if case .save(let edits, _) = plan, outcome == .saved { planner.apply(edits) }
                count(step, plan, outcome, before, &result.coverage)
                // Comparing all data after every step would take most of the time.
                let isLast = index == script.count - 1
                if isLast || index % 8 == 7, let difference = try difference(runs) {
                    result.difference = difference
                    return result
                }
            }
        } catch {
            result.difference = "threw \(error)"
        }
        return result
    }

    private static func difference(_ runs: [WorkloadRun]) throws -> String? {
        let first = try runs[0].contents()
        let second = try runs[1].contents()
        if first == second { return nil }
        let symbols = Set(first.keys).union(second.keys).filter { first[$0] != second[$0] }.sorted()
        let found = symbols.prefix(3).map {
            "object \($0): \(first[$0].map { "\($0)" } ?? "missing") and "
                + "\(second[$0].map { "\($0)" } ?? "missing")"
        }
        return "the contents differ: " + found.joined(separator: "; ")
    }

    private static func count(
        _ step: WorkloadStep, _ plan: WorkloadPlan, _ outcome: WorkloadOutcome,
        _ planner: WorkloadPlanner, _ coverage: inout WorkloadCoverage
    ) {
        switch outcome {
        case .saved:
            coverage.saves += 1
            if step.kind == .swap { coverage.uniqueSwaps += 1 }
            if step.kind == .cascade { coverage.cascades += 1 }
        case .conflicted(let versions, let unique):
            if !versions.isEmpty { coverage.versionConflicts += 1 }
            if !unique.isEmpty { coverage.uniquenessConflicts += 1 }
        case .found(let symbols, _):
            if !symbols.isEmpty { coverage.queriesWithResults += 1 }
            if case .query(let query) = plan, let key = query.sortDescriptors.first?.keyPath,
                key.count == 1
            {
                let nulls = symbols.filter {
                    planner.live[$0]?.values[key[0]].map { $0 == .value(.null) } ?? true
                }
                if !nulls.isEmpty, nulls.count < symbols.count { coverage.nullOrders += 1 }
            }
        case .failed, .nothing: break
        }
    }

    // MARK: - Shrinking

    /// The script without unnecessary steps: removes halves first, single steps last.
    static func shrink<Step>(_ script: [Step], fails: ([Step]) -> Bool) -> [Step] {
        var script = script
        var size = max(1, script.count / 2)
        while true {
            var hasShrunk = false
            var start = 0
            while start < script.count {
                var shorter = script
                shorter.removeSubrange(start..<min(start + size, script.count))
                if fails(shorter) {
                    script = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1 && !hasShrunk { return script }
            size = max(1, size / 2)
        }
    }
}

/// A script on which two stores differ.
public struct WorkloadFailure: Error, Sendable {
    /// The seed, which reproduces the whole script.
    public let seed: UInt64
    /// A description of the difference.
    public let difference: String
    /// The remaining steps after shrinking, as text.
    public let script: [String]
}

extension WorkloadFailure: CustomStringConvertible {
    /// The seed, the script and the difference.
    public var description: String {
        "seed \(seed): \(difference)\n" + script.joined(separator: "\n")
    }
}
