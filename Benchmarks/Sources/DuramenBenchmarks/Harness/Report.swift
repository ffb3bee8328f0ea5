import Foundation

/// A figure with as many digits as it deserves.
func figureText(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "-" }
    if abs(value) >= 1000 { return String(format: "%.0f", value) }
    return String(format: abs(value) >= 100 ? "%.1f" : "%.2f", value)
}

/// Prints results as plain text.
struct Report {
    private var lines: [[String]] = []
    private(set) var misses = 0

    /// Prints one measurement: its contestants, then its targets.
    mutating func add(_ result: MeasurementResult) {
        print("\n\(result.name): \(result.title)")
        print("  \(result.operations) operations, \(result.rounds) rounds")
        let heading = "\(result.unit) per \(result.operation)"
        print("  " + padded("contestant", 28) + aligned(heading, 20) + aligned("of raw", 10))
        for role in result.roles {
            print(
                "  " + padded(role.title, 28) + aligned(figureText(result.median(of: role)), 20)
                    + aligned(figureText(result.ratio(of: role, to: result.store.raw)), 10))
        }
        for target in result.targets { add(target, of: result) }
    }

    /// Prints that a measurement has no result.
    mutating func add(failureOf name: String, _ error: any Error) {
        misses += 1
        print("\n\(name): failed. \(error)")
        lines.append([name, "", "", "", "FAILED"])
    }

    /// Prints every target again, one line each.
    func printSummary() {
        let heading = ["row", "must", "aim", "figure", ""]
        let table = [heading] + lines
        let widths = heading.indices.map { column in
            table.map { $0[column].count }.max() ?? 0
        }
        print("")
        for line in table {
            let cells = zip(line, widths).map { padded($0, $1) }
            print(cells.joined(separator: "  "))
        }
    }

    private mutating func add(_ target: Target, of result: MeasurementResult) {
        let figure = target.figure(result)
        let verdict = Verdict(target, figure: figure)
        if verdict == .miss { misses += 1 }
        let must = target.must?.text(unit: target.unit) ?? "-"
        let aim = target.aim?.text(unit: target.unit) ?? "-"
        let reached = figure.map { value in target.aim?.holds(for: value) ?? false } ?? false
        let verdictText = verdict.rawValue + (reached ? ", aim reached" : "")
        let figureColumn = figure == nil ? "-" : "\(figureText(figure)) \(target.unit)"
        print("  \(target.label): \(figureColumn) (must \(must), aim \(aim)) \(verdictText)")
        lines.append(["\(result.name), \(target.label)", must, aim, figureColumn, verdictText])
    }
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

private func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
