import DuramenModel
import DuramenQuery
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

    @Test func foldingTakesAnyBytes() {
        let bytes: [UInt8] = [0x41, 0xFF, 0xC3, 0x89, 0xE2, 0x82]
        let folded = bytes.withUnsafeBytes { TextFolding.fold($0, both) }
        #expect(folded == StoredText("a\u{FFFD}e\u{FFFD}"))
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
