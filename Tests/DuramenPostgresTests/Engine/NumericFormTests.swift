import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import DuramenPostgres

struct NumericFormTests {
    @Test(arguments: [
        "0", "1", "-1", "10000", "9999", "0.0001", "0.00001", "-0.5", "12345678.9", "1e127",
        "1e-128",
        "340282366920938463463374607431768211455", "-99999999999999999999999999999999999999",
        "1234567890123456789012345678901234567.8", "3.14159265358979323846264338327950288419",
    ])
    func aDecimalComesBackWithAllItsDigits(text: String) throws {
        let decimal = try #require(Decimal(string: text))
        let bytes = NumericForm.bytes(of: decimal)
        #expect(bytes.withUnsafeBytes { NumericForm.decimal($0) } == decimal)
    }

    @Test func randomDecimalsComeBack() throws {
        var random = SplitMix64(seed: randomSeed())
        for _ in 0..<repetitions(2_000) {
            let count = Int.random(in: 1...38, using: &random)
            let digits = (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }
            let exponent = Int.random(in: -80...80, using: &random)
            let text = digits.joined()
            let significand = try #require(Decimal(string: text))
            let decimal = Decimal(
                sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent,
                significand: significand)
            let bytes = NumericForm.bytes(of: decimal)
            let read = bytes.withUnsafeBytes { NumericForm.decimal($0) }
            #expect(read == decimal, "\(text)e\(exponent)")
        }
    }

    @Test func whatDoesNotFitIsNotRounded() {
        func form(_ fields: [UInt16]) -> Decimal? {
            fields.flatMap { Parameter.bigEndian($0) }.withUnsafeBytes { NumericForm.decimal($0) }
        }
        let elevenGroups = [UInt16](repeating: 9_999, count: 11)
        #expect(form([11, 10, 0, 0] + elevenGroups) == nil)
        // 1e200 and 1e-400
        #expect(form([1, 50, 0, 0, 1]) == nil)
        #expect(form([1, UInt16(bitPattern: -100), 0, 400, 1]) == nil)
        // Not a number, infinity, too short, a digit that is none
        #expect(form([0, 0, 0xC000, 0]) == nil)
        #expect(form([0, 0, 0xD000, 0]) == nil)
        #expect(form([2, 0, 0, 0, 1]) == nil)
        #expect(form([1, 0, 0, 0, 10_000]) == nil)
        #expect(form([1, 0]) == nil)
    }

    @Test func zerosAtTheEndAreNoDigits() {
        // 38 digits in ten groups of which the last ends with zeros, then 30 more zeros.
        let fields: [UInt16] =
            [18, 9, 0, 32] + [99, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999]
            + [9_999, 9_999, 9_999] + [UInt16](repeating: 0, count: 8)
        let bytes = fields.flatMap { Parameter.bigEndian($0) }
        let decimal = bytes.withUnsafeBytes { NumericForm.decimal($0) }
        #expect(decimal == Decimal(string: String(repeating: "9", count: 38)))
    }
}
