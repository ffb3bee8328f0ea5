import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct TextTests {
    private let both: PredicateComparison.Options = [.caseInsensitive, .diacriticInsensitive]

    @Test(arguments: [
        ("ABC xyz", "abc xyz", "ABC xyz", "abc xyz"),
        ("\u{C9}t\u{C9}", "\u{E9}t\u{E9}", "EtE", "ete"),
        ("E\u{301}", "e\u{301}", "E", "e"),
        ("\u{130}", "i\u{307}", "I", "i"),
        ("\u{3A3}\u{3C2}", "\u{3C3}\u{3C2}", "\u{3A3}\u{3C2}", "\u{3C3}\u{3C2}"),
        ("Stra\u{DF}e", "stra\u{DF}e", "Stra\u{DF}e", "stra\u{DF}e"),
        ("\u{1EA4}", "\u{1EA5}", "A", "a"),
        ("\u{D8}", "\u{F8}", "\u{D8}", "\u{F8}"),
        ("A\u{0}\u{C9}", "a\u{0}\u{E9}", "A\u{0}E", "a\u{0}e"),
        ("", "", "", ""),
    ])
    func foldingFollowsItsDefinition(
        _ text: String, _ caseless: String, _ markless: String, _ plain: String
    ) {
        #expect(TextFolding.fold(StoredText(text), .caseInsensitive) == StoredText(caseless))
        #expect(TextFolding.fold(StoredText(text), .diacriticInsensitive) == StoredText(markless))
        #expect(TextFolding.fold(StoredText(text), both) == StoredText(plain))
        #expect(TextFolding.fold(StoredText(text), []) == StoredText(text))
    }

    @Test func foldingTwiceChangesNothingMoreForAnyScalar() {
        var failures: [String] = []
        for value in UInt32(0)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = StoredText(String(Character(scalar)))
            for options in [PredicateComparison.Options.caseInsensitive, both] {
                let once = TextFolding.fold(text, options)
                if TextFolding.fold(once, options) != once {
                    failures.append(String(value, radix: 16))
                }
            }
        }
        #expect(failures.isEmpty)
    }

    /// The definition of the folded form, word for word.
    private func defined(_ text: String, _ options: PredicateComparison.Options) -> StoredText {
        var scalars = Array(text.unicodeScalars)
        if options.contains(.diacriticInsensitive) {
            scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
                .filter { $0.properties.generalCategory != .nonspacingMark }
        }
        let folded =
            options.contains(.caseInsensitive)
            ? scalars.map(\.properties.lowercaseMapping).joined()
            : String(String.UnicodeScalarView(scalars))
        return StoredText(folded)
    }

    @Test(arguments: [
        PredicateComparison.Options.caseInsensitive, .diacriticInsensitive,
        [.caseInsensitive, .diacriticInsensitive],
    ])
    func everyScalarFoldsAsDefined(options: PredicateComparison.Options) {
        // All that is in the table, and samples of what is beyond it.
        let values =
            Array(UInt32(0)..<0x3400) + Array(stride(from: UInt32(0x3400), to: 0x2_0000, by: 7))
        let wrong = values.compactMap(Unicode.Scalar.init).filter { scalar in
            let text = String(scalar)
            return TextFolding.fold(StoredText(text), options) != defined(text, options)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10).map { String($0.value, radix: 16) })")
    }

    @Test func scalarsInAnyOrderFoldAsDefined() {
        // Some are rare marks that are kept, and change places with others.
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xC0...0x24F, 0x300...0x36F, 0x370...0x58F, 0x5D0...0x6FF, 0x900...0xDFF,
            0x1E00...0x1FFF, 0x3040...0x30FF, 0x4E00...0x4EFF, 0xAC00...0xACFF, 0x302A...0x302F,
            0x1_D165...0x1_D16D, 0x1_F600...0x1_F64F, 0x1_6FF0...0x1_6FF1,
        ]
        var random = SeededGenerator(state: 20)
        for _ in 0..<1_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
                let value = UInt32.random(in: range, using: &random)
                scalars.append(Unicode.Scalar(value) ?? "x")
            }
            let text = String(scalars)
            for options in [.caseInsensitive, .diacriticInsensitive, both] {
                #expect(
                    TextFolding.fold(StoredText(text), options) == defined(text, options),
                    "\(scalars.map { String($0.value, radix: 16) }) \(options)")
            }
        }
    }

    @Test func foldingTakesAnyBytes() {
        let bytes: [UInt8] = [0x41, 0xFF, 0xC3, 0x89, 0xE2, 0x82]
        let folded = bytes.withUnsafeBytes { TextFolding.fold($0, both) }
        #expect(folded == StoredText("a\u{FFFD}e\u{FFFD}"))
        // Each damaged in one way: a byte too few, one that continues nothing, one that is longer
        // than needed, half of a pair, and a scalar beyond the last one.
        let damaged: [[UInt8]] = [
            [0xC3], [0xC3, 0x41], [0x80], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF8, 0x88], [0xE2, 0x82],
        ]
        for bytes in damaged {
            let all = Array("É".utf8) + bytes + Array("É".utf8)
            let repaired = String(decoding: all, as: UTF8.self)
            #expect(
                all.withUnsafeBytes { TextFolding.fold($0, both) } == defined(repaired, both),
                "\(bytes)")
        }
    }

    private func like(
        _ text: String, _ pattern: String, _ options: PredicateComparison.Options = []
    ) throws -> Bool {
        var objects = Objects()
        let id = objects.add("Quake", 1, ["note": .text(StoredText(text))])
        let fast = try objects.holds(.keyPath("note", .like, pattern, options), id)
        // The same through two operands, which takes the general law.
        let slow = try objects.holds(
            .comparison(
                .init(
                    .constant(.text(StoredText(text))), .like,
                    .constant(.text(StoredText(pattern))),
                    options: options)), id)
        #expect(fast == slow, "\(text) \(pattern)")
        return fast
    }

    @Test(arguments: [
        ("", "", true), ("", "*", true), ("", "?", false), ("a", "", false), ("abc", "abc", true),
        ("abc", "a*", true), ("abc", "*c", true), ("abc", "*b*", true), ("abc", "a?c", true),
        ("abc", "a?", false), ("abc", "??", false), ("abc", "???", true), ("abc", "????", false),
        ("abc", "ab*bc", false), ("aXbXc", "a*b*c", true), ("abab", "*ab", true),
        ("aab", "*?b", true),
        ("a*c", "a\\*c", true), ("abc", "a\\*c", false), ("a?c", "a\\?c", true),
        ("a\\", "a\\", true), ("a\\b", "a\\\\b", true), ("\u{E9}x", "?x", true),
        ("e\u{301}x", "?x", false), ("\u{1F600}", "?", true), ("xaxbxc", "*a?b*c", true),
        ("aaab", "*aab", true), ("mississippi", "m*iss*?pi", true), ("abc", "**c", true),
    ])
    func likeMatchesTheWholeText(_ text: String, _ pattern: String, _ expected: Bool) throws {
        #expect(try like(text, pattern) == expected, "\(text) LIKE \(pattern)")
    }

    @Test func likeFoldsTextAndPattern() throws {
        #expect(try like("\u{C9}T\u{C9}", "e?E", both))
        #expect(try like("\u{C9}t", "\u{E9}*", .caseInsensitive))
        #expect(try !like("\u{C9}t", "e*", .caseInsensitive))
    }

    @Test func hostilePatternsAndNeedlesTakeNoExponentialTime() throws {
        let text = String(repeating: "a", count: 20_000)
        #expect(try !like(text, String(repeating: "a*", count: 200) + "b"))
        #expect(try !like(text, "*" + String(repeating: "a", count: 5_000) + "b*"))
        var objects = Objects()
        let id = objects.add("Quake", 1, ["note": .text(StoredText(text + "b" + text))])
        let needle =
            String(repeating: "a", count: 9_000) + "b" + String(repeating: "a", count: 9_000)
        #expect(try objects.holds(.keyPath("note", .contains, needle), id))
        #expect(try !objects.holds(.keyPath("note", .contains, needle + "c"), id))
    }
}
