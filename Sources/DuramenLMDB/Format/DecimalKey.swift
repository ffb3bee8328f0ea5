import DuramenModel
import Foundation

/// Decimal numbers as bytes in the order of the numbers.
///
/// A sign byte (1 negative, 2 zero, 3 positive) and the position of the decimal point as two bytes.
/// Then the digits, each plus 1, and a 0. All bytes after the sign are inverted for negative
/// numbers.
enum DecimalKey {
    static func bytes(of number: Decimal) -> [UInt8] {
        if number == 0 || number.isNaN { return [2] }
        var digits = number.significand.magnitude.description.utf8.map { $0 - UInt8(ascii: "0") }
        var exponent = number.exponent
        while digits.count > 1, digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        // Decimal's exponents are -128…127 and it has at most 39 digits, so this is positive.
        let point = UInt16(truncatingIfNeeded: digits.count + exponent + 1_024)
        var rest = [UInt8(point >> 8), UInt8(truncatingIfNeeded: point)]
        rest += digits.map { $0 + 1 }
        rest.append(0)
        let isNegative = number.sign == .minus
        return [isNegative ? 1 : 3] + (isNegative ? rest.map { ~$0 } : rest)
    }
}
