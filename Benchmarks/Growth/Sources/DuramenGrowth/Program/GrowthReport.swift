import Foundation

/// Prints one line for each row and store.
struct GrowthReport {
    private(set) var misses = 0
    private let isCounted: Bool

    init(isCounted: Bool) {
        self.isCounted = isCounted
        let heading = isCounted ? "instructions a unit" : "a unit"
        print(
            line("row", "store", "unit", heading, "of ten times more", "growth", "most", "must"))
    }

    mutating func add(_ row: GrowthRow, _ kind: StoreKind, _ costs: [Cost]) {
        let growth = costs[1].unit / max(costs[0].unit, 1)
        let isFlat = growth <= row.growth
        let kept = isCounted ? nil : row.must.map { $0.isKept(by: costs[1]) }
        if isCounted ? !isFlat : kept == false { misses += 1 }
        print(
            line(
                [row.number, row.word].compactMap(\.self).joined(separator: " "), kind.rawValue,
                row.unit, figure(costs[0].unit), figure(costs[1].unit),
                String(format: "%.2f", growth), "\(row.growth)" + (isFlat ? "" : " MISS"),
                row.must.flatMap { limit in
                    isCounted
                        ? nil : limit.text(costs[1]) + (kept == true ? "" : " MISS")
                } ?? ""))
    }

    private func line(_ columns: String...) -> String {
        let widths = [34, 7, 20, 20, 18, 7, 9, 0]
        return zip(columns, widths).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }.joined(separator: " ")
    }

    private func figure(_ value: Double) -> String {
        String(format: value >= 100 ? "%.0f" : "%.1f", value)
    }
}

extension GrowthRow.Limit {
    func isKept(by cost: Cost) -> Bool {
        switch self {
        case .nanoseconds(let most), .bytes(let most): cost.unit <= most
        case .times(let most): cost.reference.map { cost.unit <= most * $0 } ?? false
        }
    }

    func text(_ cost: Cost) -> String {
        switch self {
        case .nanoseconds(let most): "\(Int(most)) ns"
        case .bytes(let most): "\(Int(most)) bytes"
        case .times(let most):
            String(format: "%.1f of anew, is %.2f", most, cost.unit / (cost.reference ?? .nan))
        }
    }
}
