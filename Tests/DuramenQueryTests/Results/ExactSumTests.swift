import DuramenModel
import Foundation
import Testing

@testable import DuramenQuery

/// Sums of doubles without rounding on the way.
struct ExactSumTests {
    private func sum(_ numbers: [Double]) -> Double {
        var sum = ExactSum()
        for number in numbers { sum.add(number) }
        return sum.value
    }

    private static let tiny = Double.leastNonzeroMagnitude

    @Test(
        arguments: [
            ([], 0), ([-0.0], 0), ([0.1], 0.1), ([1e308, 1e308, -1e308], 1e308),
            ([1e308, 1e308], .infinity), ([-1e308, -1e308], -.infinity), ([1e16, 1, -1e16], 1),
            ([0.1, 0.2, -0.3], 2.7755575615628914e-17), ([1, 1e100, 1, -1e100], 2),
            ([tiny, tiny], 2 * tiny),
            ([.leastNormalMagnitude, -tiny], .leastNormalMagnitude.nextDown),
            ([1, 0x1p-53], 1), ([1, 0x1p-53, 0x1p-1074], 1 + 0x1p-52), ([-1, -0x1p-53], -1),
            ([1 + 0x1p-52, 0x1p-53], 1 + 0x1p-51), ([.infinity, 1], .infinity),
            ([1.7976931348623157e308, 1e291], 1.7976931348623157e308), ([3, -3], 0),
        ] as [([Double], Double)])
    func sumsAreRoundedOnce(numbers: [Double], expected: Double) {
        #expect(sum(numbers) == expected)
        #expect(sum(numbers.reversed()) == expected)
        #expect(sum(numbers.map { -$0 }) == -expected)
    }

    @Test func bothInfinitiesAreNoNumber() {
        #expect(sum([.infinity, -.infinity]).isNaN)
        #expect(NumberSum([.double(.infinity), .double(-.infinity)]).value == .null)
    }

    @Test func theOrderDoesNotMatter() {
        let seed =
            ProcessInfo.processInfo.environment["DURAMEN_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 1...1_000_000)
        print("ExactSumTests seed: \(seed) (repeat with DURAMEN_SEED)")
        var generator = SeededGenerator(state: seed)
        for _ in 0..<200 {
            let numbers = (0..<50).map { _ in
                Double(
                    sign: Bool.random(using: &generator) ? .plus : .minus,
                    exponent: Int.random(in: -1080...1000, using: &generator),
                    significand: Double.random(in: 1..<2, using: &generator))
            }
            let result = sum(numbers)
            #expect(sum(numbers.sorted()) == result, "seed \(seed): \(numbers)")
            #expect(sum(numbers.shuffled(using: &generator)) == result, "seed \(seed): \(numbers)")
            #expect(sum(numbers + numbers.map { -$0 }) == 0, "seed \(seed): \(numbers)")
        }
    }

    @Test func numbersOfAllFormsHaveOneSum() {
        #expect(NumberSum([.integer(.max), .integer(1)]).value == .double(0x1p63))
        #expect(NumberSum([.integer(.max), .integer(1), .integer(-1)]).value == .integer(.max))
        #expect(NumberSum([.integer(1), .boolean(true)]).value == .integer(2))
        #expect(NumberSum([.decimal(0.5), .integer(1)]).value == .decimal(1.5))
        #expect(NumberSum([.decimal(0.5), .double(0.25), .integer(1)]).value == .double(1.75))
        #expect(NumberSum([.text("1"), .null]).value == .integer(0))
        #expect(NumberSum([.text("1")]).average == .null)
    }
}
