import Foundation

/// The binary form of `numeric`: digits to the base of 10,000.
///
/// ```
/// int16 digit count | int16 weight of the first | uint16 sign | int16 scale | int16 digits
/// value = sum of digit[i] * 10000 ^ (weight - i)
/// ```
enum NumericForm {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    /// Returns the binary form of a decimal, with all its digits.
    static func bytes(of decimal: Decimal) -> [UInt8] {
        if decimal.isNaN { return header(count: 0, weight: 0, sign: notANumber, scale: 0) }
        var digits = mantissaDigits(decimal)
        var exponent = Int(decimal.exponent)
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return header(count: 0, weight: 0, sign: 0, scale: 0) }
        let scale = max(0, -exponent)
        // Groups of four end where the exponent is a multiple of four.
        let shift = ((exponent % 4) + 4) % 4
        digits.append(contentsOf: repeatElement(0, count: shift))
        exponent -= shift
        let padding = (4 - digits.count % 4) % 4
        digits.insert(contentsOf: repeatElement(0, count: padding), at: 0)
        let count = digits.count / 4
        var bytes = header(
            count: count, weight: exponent / 4 + count - 1,
            sign: decimal.isSignMinus ? negative : 0, scale: scale)
        for group in 0..<count {
            let value = digits[group * 4..<group * 4 + 4].reduce(0) { $0 * 10 + UInt16($1) }
            bytes.append(contentsOf: Parameter.bigEndian(value))
        }
        return bytes
    }

    /// Returns the decimal of a binary form; nil if it is damaged, not a number, or does not fit
    /// exactly.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        func field(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        }
        guard bytes.count >= 8 else { return nil }
        let sign = field(2)
        guard bytes.count == 8 + Int(field(0)) * 2, sign == 0 || sign == negative else {
            return nil
        }
        var groups = (4..<4 + Int(field(0)))[...]
        var weight = Int(Int16(bitPattern: field(1)))
        while let first = groups.first, field(first) == 0 {
            groups = groups.dropFirst()
            weight -= 1
        }
        while let last = groups.last, field(last) == 0 { groups = groups.dropLast() }
        guard let last = groups.last else { return Decimal(0) }
        var exponent = (weight - groups.count + 1) * 4
        var mantissa: UInt128 = 0
        for group in groups {
            var value = field(group)
            var factor: UInt128 = 10_000
            guard value < 10_000 else { return nil }
            // Zeros at the end do not count as digits. With them, 38 digits might take 40.
            while group == last, value % 10 == 0 {
                value /= 10
                factor /= 10
                exponent += 1
            }
            let (product, isTooLong) = mantissa.multipliedReportingOverflow(by: factor)
            let (sum, isTooLarge) = product.addingReportingOverflow(UInt128(value))
            if isTooLong || isTooLarge { return nil }
            mantissa = sum
        }
        while exponent > 127 {
            let (product, isTooLong) = mantissa.multipliedReportingOverflow(by: 10)
            if isTooLong { return nil }
            mantissa = product
            exponent -= 1
        }
        guard exponent >= -128 else { return nil }
        return decimal(mantissa, exponent: exponent, isNegative: sign == negative)
    }

    private static func header(count: Int, weight: Int, sign: UInt16, scale: Int) -> [UInt8] {
        [
            Int16(clamping: count), Int16(clamping: weight), Int16(bitPattern: sign),
            Int16(clamping: scale),
        ].flatMap { Parameter.bigEndian($0) }
    }

    /// The digits of the mantissa, the highest first, without zeros in front.
    private static func mantissaDigits(_ decimal: Decimal) -> [UInt8] {
        let digits = decimal.significand.magnitude.description.utf8
        return Array(digits.map { $0 &- UInt8(ascii: "0") }.drop { $0 == 0 })
    }

    private static func decimal(
        _ mantissa: UInt128, exponent: Int, isNegative: Bool
    ) -> Decimal? {
        let sign: FloatingPointSign = isNegative ? .minus : .plus
        if let small = UInt64(exactly: mantissa) {
            return Decimal(sign: sign, exponent: exponent, significand: Decimal(small))
        }
        // Foundation may round a long text, which is then found here.
        let digits = String(mantissa)
        guard let large = Decimal(string: digits), large.description == digits else { return nil }
        return Decimal(sign: sign, exponent: exponent, significand: large)
    }
}
