public import Foundation

/// The parts of a decimal number in an archive: ±mantissa · 10^exponent.
public struct ArchivedDecimal: Sendable {
    /// The power of ten.
    let exponent: Int
    /// Whether the number is negative, or NaN.
    let isNegative: Bool
    /// The mantissa in units of 16 bits, the least significant first; at most eight.
    let units: [UInt16]

    init(exponent: Int, isNegative: Bool, units: [UInt16]) {
        self.exponent = exponent
        self.isNegative = isNegative
        self.units = units
    }

    /// Creates the parts of a number. NaN has no units and a negative sign.
    public init(_ decimal: Decimal) {
        guard !decimal.isNaN else {
            self.init(exponent: 0, isNegative: true, units: [])
            return
        }
        var units: [UInt16] = []
        // At most 39 digits, without sign, point or exponent.
        for digit in decimal.significand.magnitude.description.utf8 where (48...57) ~= digit {
            var carry = UInt32(digit - 48)
            for place in units.indices {
                carry += UInt32(units[place]) * 10
                units[place] = UInt16(truncatingIfNeeded: carry)
                carry >>= 16
            }
            if carry > 0 { units.append(UInt16(carry)) }
        }
        self.init(
            exponent: decimal.isZero ? 0 : decimal.exponent,
            isNegative: decimal.sign == .minus && !decimal.isZero, units: units)
    }

    /// The number with these parts.
    var decimal: Decimal {
        if units.isEmpty { return isNegative ? .nan : 0 }
        let mantissa = units.reversed().reduce(Decimal()) { $0 * 65_536 + Decimal($1) }
        if mantissa.isZero { return 0 }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
    }

    /// The mantissa in 16 bytes, in little-endian order.
    var bytes: [UInt8] {
        (units + Array(repeating: 0, count: 8 - units.count)).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
    }

    /// The fields of a number in an archive.
    public var fields: [(key: String, value: BinaryPropertyListWriter.Part)] {
        [
            ("NS.exponent", .integer(Int64(exponent))),
            ("NS.length", .integer(Int64(units.count))),
            ("NS.negative", .boolean(isNegative)), ("NS.compact", .boolean(true)),
            ("NS.mantissa.bo", .integer(1)), ("NS.mantissa", .data(bytes)),
        ]
    }
}
