import DuramenModel
import Foundation

/// A number in the form with which functions calculate.
enum Number {
    case whole(Int64)
    case double(Double)
    case decimal(Decimal)

    /// Creates a number; nil for a value that is not a number, and for NaN.
    init?(_ value: StoredValue) {
        switch value {
        case .integer(let number): self = .whole(number)
        case .boolean(let flag): self = .whole(flag ? 1 : 0)
        case .double(let number) where !number.isNaN: self = .double(number)
        case .decimal(let number) where !number.isNaN: self = .decimal(number)
        default: return nil
        }
    }

    /// The number as a value; null for NaN.
    var value: StoredValue {
        switch self {
        case .whole(let number): .integer(number)
        case .double(let number): number.isNaN ? .null : .double(number == 0 ? 0 : number)
        case .decimal(let number): number.isNaN ? .null : .decimal(number)
        }
    }

    var double: Double {
        switch self {
        case .whole(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    /// The number as an integer; nil if it has a fraction or does not fit 64 bits.
    var whole: Int64? {
        switch self {
        case .whole(let number): number
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): Int64(number.description)
        }
    }

    private var decimal: Decimal? {
        switch self {
        case .whole(let number): Decimal(number)
        case .decimal(let number): number
        case .double: nil
        }
    }

    // MARK: - Arithmetic

    static func calculate(_ function: FetchFunction, _ a: Number, _ b: Number) -> StoredValue {
        switch function {
        case .raise: return Number.double(pow(a.double, b.double)).value
        case .bitwiseAnd: return bits(a, b, &)
        case .bitwiseOr: return bits(a, b, |)
        case .bitwiseXor: return bits(a, b, ^)
        case .leftShift: return bits(a, b) { $0 << $1 }
        case .rightShift: return bits(a, b) { $0 >> $1 }
        default: break
        }
        if case .whole(let x) = a, case .whole(let y) = b {
            if y == 0, function == .divide || function == .modulus { return .null }
            if let result = whole(function, x, y) { return .integer(result) }
        } else if let x = a.decimal, let y = b.decimal {
            return decimal(function, x, y)
        }
        return double(function, a.double, b.double)
    }

    private static func bits(
        _ a: Number, _ b: Number, _ combine: (Int64, Int64) -> Int64
    ) -> StoredValue {
        guard let x = a.whole, let y = b.whole else { return .null }
        return .integer(combine(x, y))
    }

    /// Returns the result of an integer operation; nil if it does not fit.
    private static func whole(_ function: FetchFunction, _ x: Int64, _ y: Int64) -> Int64? {
        let (result, overflow) =
            switch function {
            case .add: x.addingReportingOverflow(y)
            case .subtract: x.subtractingReportingOverflow(y)
            case .multiply: x.multipliedReportingOverflow(by: y)
            case .divide: x.dividedReportingOverflow(by: y)
            // The remainder of the smallest number by -1 is 0, although the quotient does not fit.
            default: y == -1 ? (0, false) : x.remainderReportingOverflow(dividingBy: y)
            }
        return overflow ? nil : result
    }

    private static func decimal(
        _ function: FetchFunction, _ x: Decimal, _ y: Decimal
    ) -> StoredValue {
        if y == 0, function == .divide || function == .modulus { return .null }
        let result: Decimal
        switch function {
        case .add: result = x + y
        case .subtract: result = x - y
        case .multiply: result = x * y
        case .divide: result = x / y
        default:
            var quotient = x / y
            var whole = Decimal()
            NSDecimalRound(&whole, &quotient, 0, quotient < 0 ? .up : .down)
            result = x - whole * y
        }
        return Number.decimal(result).value
    }

    private static func double(_ function: FetchFunction, _ x: Double, _ y: Double) -> StoredValue {
        if y == 0, function == .divide || function == .modulus { return .null }
        let result: Double =
            switch function {
            case .add: x + y
            case .subtract: x - y
            case .multiply: x * y
            case .divide: x / y
            default: fmod(x, y)
            }
        return Number.double(result).value
    }

    // MARK: - Functions of one number

    static func calculate(_ function: FetchFunction, _ a: Number) -> StoredValue {
        switch function {
        case .negate: return calculate(.subtract, .whole(0), a)
        case .onesComplement: return a.whole.map { .integer(~$0) } ?? .null
        case .abs: return a.double < 0 ? calculate(.subtract, .whole(0), a) : a.value
        case .floor: return a.rounded(.down, { $0.rounded(.down) })
        case .ceiling: return a.rounded(.up, { $0.rounded(.up) })
        case .trunc:
            return a.rounded(a.double < 0 ? .up : .down, { $0.rounded(.towardZero) })
        case .sqrt: return Number.double(a.double.squareRoot()).value
        case .log: return a.double > 0 ? Number.double(log10(a.double)).value : .null
        case .ln: return a.double > 0 ? Number.double(Foundation.log(a.double)).value : .null
        case .exp: return Number.double(Foundation.exp(a.double)).value
        default: return .null
        }
    }

    private func rounded(
        _ mode: Decimal.RoundingMode, _ round: (Double) -> Double
    ) -> StoredValue {
        switch self {
        case .whole(let number): return .integer(number)
        case .double(let number): return Number.double(round(number)).value
        case .decimal(var number):
            var whole = Decimal()
            NSDecimalRound(&whole, &number, 0, mode)
            return .decimal(whole)
        }
    }
}
