import DuramenModel
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@testable import Duramen

struct JSONReaderTests {
    private static func accepts(_ text: String) -> Bool { accepts(Array(text.utf8)) }

    private static func accepts(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes, 0..<bytes.count)
        do {
            try reader.skip()
            try reader.finish()
            // What is skipped is not decoded.
            reader = JSONReader(bytes, 0..<bytes.count)
            try decodeStrings(&reader)
            return true
        } catch {
            return false
        }
    }

    private static func decodeStrings(_ reader: inout JSONReader) throws {
        var isFirst = true
        switch try reader.kind() {
        case .string: _ = try reader.readString()
        case .array:
            reader.enter()
            while try reader.nextElement(&isFirst) { try decodeStrings(&reader) }
        case .object:
            reader.enter()
            while let key = try reader.nextKey(&isFirst) {
                _ = try reader.string(key)
                try decodeStrings(&reader)
            }
        default: try reader.skip()
        }
    }

    @Test(arguments: [
        "0", "-0", "1.5e+10", "true", "null", " \"\\u00e9\\n\" ", "[]", "[1,[2,{}]]",
        "{\"a\":{\"b\":[]}}",
        "[1 , 2]\n",
    ])
    func jsonIsAccepted(text: String) { #expect(Self.accepts(text)) }

    @Test(arguments: [
        "", " ", "01", "1.", ".5", "-", "1e", "+1", "tru", "nul", "\"", "\"\n\"", "[", "[1", "[1,]",
        "[,]",
        "{", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "1 2", "[1]]", "'a'", "NaN", "{\"a\" 1}",
    ])
    func everythingElseIsRefused(text: String) { #expect(!Self.accepts(text)) }

    @Test func nestingHasALimit() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.accepts(nested(512)) && !Self.accepts(nested(513)))
        #expect(!Self.accepts(String(repeating: "[", count: 1_000_000)))
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\té""#, "a\"\\/\u{8}\u{c}\n\r\té"), (#""\ud83d\ude00""#, "😀"),
        (#""é""#, "é"),
        (#""""#, ""), (#""\u0000""#, "\0"),
    ])
    func stringsAreDecoded(text: String, value: String) throws {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes, 0..<bytes.count)
        #expect(StoredText(try reader.readString()) == StoredText(value))
    }

    @Test(arguments: [
        Array(#""\x""#.utf8), Array(#""\u12""#.utf8), Array(#""\ud83d""#.utf8),
        Array(#""\ud83d\u0041""#.utf8), Array(#""\ude00""#.utf8), [0x22, 0xFF, 0x22],
        [0x22, 0x5C, 0x6E, 0xC3, 0x22], Array(#""\"#.utf8),
    ])
    func badStringsAreRefused(bytes: [UInt8]) {
        var reader = JSONReader(bytes, 0..<bytes.count)
        #expect(throws: JSONMistake.self) { _ = try reader.readString() }
    }

    /// Random documents, damaged ones among them, against the reader of Foundation.
    @Test func itAgreesWithFoundation() throws {
        for seed in longWorkloadSeeds(2_000) {
            var generator = SplitMix64(seed: seed)
            var bytes = Array(Self.document(&generator, depth: 4).utf8)
            if Bool.random(using: &generator), !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &generator)
                if Bool.random(using: &generator) {
                    bytes.remove(at: index)
                } else {
                    bytes[index] =
                        Array(#"{}[]",:01e.-tn "#.utf8).randomElement(using: &generator) ?? 0
                }
            }
            let foundation = try? JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            #expect(
                Self.accepts(bytes) == (foundation != nil),
                "DURAMEN_SEED=\(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static func document(_ generator: inout SplitMix64, depth: Int) -> String {
        switch Int.random(in: depth > 0 ? 0..<9 : 0..<6, using: &generator) {
        case 0: return "null"
        case 1: return Bool.random(using: &generator) ? "true" : "false"
        case 2: return "\(Int.random(in: -1000...1000, using: &generator))"
        case 3: return "\(Double.random(in: -10...10, using: &generator))"
        case 4, 5:
            return
                #""\#(["", "a", "é", #"\n"#, #"é"#, #"\ud83d\ude00"#].randomElement(using: &generator) ?? "")""#
        case 6, 7:
            let parts = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                document(&generator, depth: depth - 1)
            }
            return "[" + parts.joined(separator: ", ") + "]"
        default:
            let parts = (0..<Int.random(in: 0...3, using: &generator)).map { number in
                "\"k\(number)\": " + document(&generator, depth: depth - 1)
            }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }

    @Test func datesAgreeWithFoundation() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for seed in longWorkloadSeeds(500) {
            var generator = SplitMix64(seed: seed)
            let milliseconds = Int.random(
                in: -12_000_000_000_000...250_000_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            let text = date.formatted(style)
            let read = try #require(ISO8601Date.date(of: text), "DURAMEN_SEED=\(seed): \(text)")
            #expect(abs(read.timeIntervalSince(date)) < 0.0015, "DURAMEN_SEED=\(seed): \(text)")
        }
    }

    @Test(arguments: [
        "", "2026", "2026-13-01", "2026-02-29", "2026-1-1", "2026-01-01T", "2026-01-01T24:00",
        "2026-01-01T10:60", "2026-01-01T10:00:61", "2026-01-01T10:00Zx", "2026-01-01T10:00+25", "x",
        "2026-01-01T10:00:00.", "2026-01-01T10:00:00.5+1",
    ])
    func otherTextsAreNotDates(text: String) { #expect(ISO8601Date.date(of: text) == nil) }

    @Test(
        arguments: [
            ("2024-02-29", 1_709_164_800), ("1970-01-01T00:00:00Z", 0),
            ("2026-11-28t09:30z", 1_795_858_200),
            ("2026-11-28 09:30:00,5+0530", 1_795_838_400.5), ("1969-12-31T23:59:60Z", 0.0),
        ] as [(String, Double)])
    func datesAreReadInAllForms(text: String, seconds: Double) {
        #expect(ISO8601Date.date(of: text) == Date(timeIntervalSince1970: seconds))
    }
}
