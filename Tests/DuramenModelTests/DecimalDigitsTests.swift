import DuramenModel
import Foundation
import Testing

struct DecimalDigitsTests {
    private func digits(_ text: String) -> String { number(text).storedDigits }

    private func number(_ text: String) -> Decimal {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))!
    }

    @Test(arguments: [
        ("1.0", "1"), ("1.00", "1"), ("0.10", "0.1"), ("100", "100"), ("1e2", "100"), ("-0", "0"),
        ("-0.000", "0"), ("-1.50", "-1.5"), ("1e-3", "0.001"), ("12.340", "12.34"), ("0", "0"),
    ])
    func equalNumbersHaveTheSameShortestDigits(text: String, expected: String) {
        #expect(digits(text) == expected)
    }

    @Test(arguments: [
        "12345678901234567890123456789012345678", "-99999999999999999999999999999999999999",
        "0.00000000000000000000000000000000000001", "1.2345678901234567890123456789012345678",
        "1e127", "-1e-127", "12345678901234567890123456789012345678e80", "0", "1e-100",
    ])
    func digitsReadBackAsTheSameNumber(text: String) {
        let number = number(text)
        let stored = number.storedDigits
        let back = Array(stored.utf8).withUnsafeBytes { Decimal(storedDigits: $0) }
        #expect(back == number)
        #expect(back.storedDigits == stored)
    }

    @Test func theExtremesReadBack() {
        for number in [Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            for signed in [number, -number] {
                let bytes = Array(signed.storedDigits.utf8)
                #expect(bytes.withUnsafeBytes { Decimal(storedDigits: $0) } == signed)
            }
        }
    }

    @Test func oneNumberWithDifferentExponentsHasOneForm() {
        let forms = (0..<10).map { zeros in
            Decimal(
                sign: .plus, exponent: -zeros,
                significand: Decimal(sign: .plus, exponent: zeros, significand: 7))
        }
        #expect(Set(forms.map(\.storedDigits)) == ["7"])
    }

    @Test func bytesThatAreNoNumberReadAsZero() {
        for text in ["", "abc", "NaN"] {
            #expect(Array(text.utf8).withUnsafeBytes { Decimal(storedDigits: $0) } == 0)
        }
    }
}
