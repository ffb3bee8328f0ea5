import ArgumentParser
import Foundation

/// Measures what a unit of work costs beside ten times as much of it; `Scripts/bench --growth` and
/// `Scripts/bench --instructions` build and run this.
@main
struct DuramenGrowth: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures what a unit of work costs, and what it costs when there is ten times as much.",
        discussion: """
            Processor time is measured in rounds, of which the medians count. With --instructions, \
            instructions are counted by valgrind, at smaller sizes: that count does not waver, and \
            growth beyond the limit fails the run.
            """)

    @Argument(help: "Rows, by number or word; without any, all.")
    var names: [String] = []

    @Option(help: "One store: memory, sqlite or lmdb.")
    var store: StoreKind?

    @Option(help: "Counted rounds after one to warm up.")
    var rounds = 3

    @Flag(help: "Counts instructions, and fails where the cost of a unit grows.")
    var instructions = false

    @Flag(help: "Prints the rows.")
    var list = false

    @Option(help: .hidden)
    var countedSize: Int?

    func validate() throws {
        if rounds < 1 { throw ValidationError("--rounds takes a number from 1 on.") }
        for name in names where !GrowthRow.all.contains(where: { $0.isNamed(name) }) {
            throw ValidationError("There is no row '\(name)'. Use --list to see them.")
        }
    }

    // Not asynchronous: valgrind does not bear that the main thread ends before its process.
    func run() throws { try MainActor.assumeIsolated { try runOnMain() } }

    @MainActor
    private func runOnMain() throws {
        let rows = GrowthRow.all.filter { row in names.isEmpty || names.contains(where: row.isNamed)
        }
        if list {
            for row in rows { print("\(row.number ?? "-")\t\(row.word)\tper \(row.unit)") }
            return
        }
        if let countedSize, let row = rows.first, let store {
            try row.runCounted(store, size: countedSize)
            return
        }
        var report = GrowthReport(isCounted: instructions)
        for row in rows {
            for kind in row.stores where store == nil || store == kind {
                report.add(row, kind, try costs(of: row, kind))
            }
        }
        if report.misses > 0 { throw ExitCode.failure }
    }

    /// The costs at the smaller and at the larger size.
    @MainActor
    private func costs(of row: GrowthRow, _ kind: StoreKind) throws -> [Cost] {
        guard !instructions else {
            return try [row.countedSize, row.countedSize * 10].map { size in
                let units = try row.prepare(kind, size).units
                let count = try InstructionCounter.count(row, kind, size: size)
                return Cost(unit: count / Double(units))
            }
        }
        var costs: [[Cost]] = [[], []]
        for round in 0...rounds {
            for (place, size) in [row.size, row.size * 10].enumerated() {
                let cost = try row.measure(kind, size: size)
                if round > 0 { costs[place].append(cost) }
            }
        }
        return costs.map(Cost.median)
    }
}

extension StoreKind: ExpressibleByArgument {}

extension GrowthRow {
    fileprivate func isNamed(_ name: String) -> Bool { name == number || name == word }
}

extension Cost {
    fileprivate static func median(_ costs: [Cost]) -> Cost {
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let references = costs.compactMap(\.reference)
        return Cost(
            unit: middle(costs.map(\.unit)),
            reference: references.isEmpty ? nil : middle(references))
    }
}
