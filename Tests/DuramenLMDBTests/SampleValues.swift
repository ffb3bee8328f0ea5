import DuramenModel
import DuramenTestKit
import Foundation

/// Random values of each kind, those at the borders of the encoding among them.
enum SampleValues {
    static func value(_ kind: String, _ random: inout SplitMix64) -> StoredValue {
        switch kind {
        case "text": .text(text(&random))
        case "link": .uri(text(&random))
        case "whole": .integer(whole(&random))
        case "real": .double(real(&random))
        case "single": .double(Double(Float(real(&random))))
        case "flag": .boolean(Bool.random(using: &random))
        case "moment": .date(Date(timeIntervalSinceReferenceDate: real(&random)))
        case "exact": .decimal(decimal(&random))
        case "bytes": .binary(Data(bytes(&random)))
        case "identifier": .uuid(uuid(&random))
        case "group", "plain": .integer(Int64.random(in: 0..<5, using: &random))
        default: .null
        }
    }

    /// Bytes that share beginnings with others, of lengths around those that a key holds whole.
    static func bytes(_ random: inout SplitMix64) -> [UInt8] {
        let lengths = [0, 0, 0, 1, 2, 490, 494, 495, 496, 497, 498, 500, 501, 502, 503, 504, 600]
        let length = random.pick(lengths)
        var bytes = [UInt8](repeating: 0x61, count: length)
        let ends: [UInt8] = [0, 0, 1, 0x61, 0x62, 0x7F]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            bytes.append(random.pick(ends))
        }
        return bytes
    }

    static func text(_ random: inout SplitMix64) -> StoredText {
        let words: [StoredText] = [
            "", "a", "a\0", "a\0b", "\0", "\0\0", "a\0\0", "\u{e9}", "e\u{301}", "z", "A",
            "\u{1F600}",
        ]
        if Bool.random(using: &random) {
            return random.pick(words)
        }
        return bytes(&random).withUnsafeBytes { StoredText(utf8: $0) }
    }

    static func whole(_ random: inout SplitMix64) -> Int64 {
        let some: [Int64] = [
            .min, .min + 1, -256, -1, 0, 1, 255, 256, 1 << 53, (1 << 53) + 1, .max - 1, .max,
        ]
        return Bool.random(using: &random)
            ? random.pick(some)
            : Int64.random(in: -6...6, using: &random)
    }

    static func real(_ random: inout SplitMix64) -> Double {
        let some = [
            -Double.infinity, -.greatestFiniteMagnitude, -1e10, -1, -Double.leastNonzeroMagnitude,
            0,
            Double.leastNonzeroMagnitude, 0.1, 0.5, 1, 2, 1e10, 0x1p53, 0x1p63, .infinity,
        ]
        return Bool.random(using: &random)
            ? random.pick(some)
            : Double(Int.random(in: -12...12, using: &random)) / 4
    }

    static func decimal(_ random: inout SplitMix64) -> Decimal {
        let digits = Int.random(in: 1...38, using: &random)
        var text = Bool.random(using: &random) ? "-" : ""
        if Int.random(in: 0..<3, using: &random) == 0 {
            // Few digits, so that equal numbers of other forms are met.
            text += "\(Int.random(in: 0..<30, using: &random))"
        } else {
            for _ in 0..<digits { text += "\(Int.random(in: 0...9, using: &random))" }
        }
        let exponents = [0, 0, 0, 1, 2, -1, -2, 5, -5, -38, 40, -90, 80]
        text += "e\(random.pick(exponents))"
        return Decimal(string: text) ?? 0
    }

    static func uuid(_ random: inout SplitMix64) -> UUID {
        let word = UInt64.random(in: 0..<4, using: &random) << 62
        let (a, b) = (
            UInt8(truncatingIfNeeded: word >> 56), UInt8.random(in: 0..<3, using: &random)
        )
        return UUID(uuid: (a, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b))
    }
}

extension SplitMix64 {
    /// One of some choices, of which there is one at least.
    mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: choices.indices, using: &self)]
    }
}
