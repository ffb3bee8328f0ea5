import DuramenModel
import Foundation

/// A sum of numbers of any type that does not depend on their order.
///
/// Integers are summed as integers, and doubles exactly, with one rounding at the end. Decimals are
/// kept, since their sums may be rounded, and summed in ascending order.
package struct NumberSum: Sendable {
    /// The number of added numbers.
    private(set) var count = 0
    private var whole: Int128 = 0
    private var doubles: ExactSum?
    private var decimals: [Decimal] = []

    init() {}

    /// Creates the sum of values. Values that are not numbers are left out.
    init(_ values: [StoredValue]) {
        for value in values { add(value) }
    }

    mutating func add(_ value: StoredValue) {
        guard let number = Number(value) else { return }
        count += 1
        switch number {
        case .whole(let number): whole += Int128(number)
        case .double(let number): doubles = adding(number)
        case .decimal(let number): decimals.append(number)
        }
    }

    // Moves the sum out, so that its chunks are not copied.
    private mutating func adding(_ number: Double) -> ExactSum {
        var sum = doubles ?? ExactSum()
        doubles = nil
        sum.add(number)
        return sum
    }

    /// The sum: 0 without numbers, null for NaN.
    var value: StoredValue {
        if var sum = doubles {
            sum.add(whole)
            for decimal in decimals { sum.add(Number.decimal(decimal).double) }
            let total = sum.value
            return Number.double(total).value
        }
        if decimals.isEmpty {
            return Int64(exactly: whole).map { .integer($0) } ?? .double(Double(whole))
        }
        let start = Decimal(string: String(whole)) ?? 0
        return Number.decimal(decimals.sorted().reduce(start, +)).value
    }

    /// The arithmetic mean; null without numbers.
    var average: StoredValue {
        if count == 0 { return .null }
        switch value {
        case .decimal(let sum): return Number.decimal(sum / Decimal(count)).value
        case let sum:
            guard let sum = Number(sum) else { return .null }
            return Number.double(sum.double / Double(count)).value
        }
    }
}
