import Foundation

extension Decimal {
    /// Returns the exact order of this number and a double: negative, zero or positive; nil for
    /// NaN.
    ///
    /// `Decimal(_: Double)` rounds some numbers, such as 9 007 199 254 740 991. Equal numbers would
    /// then differ, and the order of three numbers could contradict itself.
    func order(against double: Double) -> Int? {
        if isNaN || double.isNaN { return nil }
        let mine = self == 0 ? 0 : (sign == .minus ? -1 : 1)
        let other = double == 0 ? 0 : (double < 0 ? -1 : 1)
        if mine != other { return mine - other }
        if mine == 0 { return 0 }
        if double.isInfinite { return -other }
        // Both magnitudes are whole numbers times powers. Multiplied by the negative powers of
        // both, they are whole numbers.
        var left = NaturalNumber(digits: significand.description)
        var right = NaturalNumber(bits: UInt64(double.magnitude.significand * 0x1p52))
        let binaryExponent = Int(double.exponent) - 52
        left.multiply(by: 10, times: exponent)
        right.multiply(by: 10, times: -exponent)
        left.multiply(by: 2, times: -binaryExponent)
        right.multiply(by: 2, times: binaryExponent)
        return mine * left.order(against: right)
    }
}

/// A whole number of any size, with only the operations that a comparison needs.
private struct NaturalNumber {
    // The least significant word comes first; the last word is not 0.
    private var words: [UInt32] = []

    init(digits: String) {
        for digit in digits.utf8 { multiply(by: 10, adding: UInt32(digit - UInt8(ascii: "0"))) }
    }

    init(bits: UInt64) {
        words = [UInt32(truncatingIfNeeded: bits), UInt32(truncatingIfNeeded: bits >> 32)]
        while words.last == 0 { words.removeLast() }
    }

    /// Multiplies by a power of `base`; does nothing if `times` is negative.
    mutating func multiply(by base: UInt32, times: Int) {
        // The ninth power of 10 is the largest that fits a word.
        for start in stride(from: 0, to: times, by: 9) {
            let power = (start..<min(start + 9, times)).reduce(UInt32(1)) { power, _ in power * base
            }
            multiply(by: power, adding: 0)
        }
    }

    private mutating func multiply(by factor: UInt32, adding summand: UInt32) {
        var carry = UInt64(summand)
        for index in words.indices {
            carry += UInt64(words[index]) * UInt64(factor)
            words[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry != 0 { words.append(UInt32(carry)) }
    }

    func order(against other: NaturalNumber) -> Int {
        if words.count != other.words.count { return words.count < other.words.count ? -1 : 1 }
        for (mine, theirs) in zip(words, other.words).reversed() where mine != theirs {
            return mine < theirs ? -1 : 1
        }
        return 0
    }
}
