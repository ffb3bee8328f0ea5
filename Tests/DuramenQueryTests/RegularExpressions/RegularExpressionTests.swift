import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct RegularExpressionTests {
    private let both: PredicateComparison.Options = [.caseInsensitive, .diacriticInsensitive]

    private func matches(
        _ pattern: String, _ text: String, _ options: PredicateComparison.Options = []
    ) throws -> Bool {
        try RegularExpression(pattern, options: options).matches(text)
    }

    // MARK: - Meaning

    @Test(arguments: [
        ("", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "abcd", false),
        ("b", "abc", false), ("a|b", "b", true), ("a|bc", "ac", false), ("a||b", "", true),
        ("(a|b)*c", "ababc", true), ("(?:ab)+", "ababa", false), ("(?<n1>a)b", "ab", true),
        ("a*", "", true), ("a+", "", false), ("a?b", "b", true), ("a{2}", "aaa", false),
        ("a{2,}", "aaaa", true), ("a{1,2}", "aaa", false), ("a{0}b", "b", true),
        ("a*?b", "aab", true), ("a{1,2}?", "aa", true), ("()*", "", true), ("(a*)*", "aa", true),
        ("^*a", "a", true), ("a(?#b*)c", "ac", true), ("a(?#b)*", "aaa", true),
        ("(?<a>a)|(?<b>b)", "b", true), (".", "\u{1F600}", true), (".", "\n", false),
        (".", "\u{85}", false), ("]", "]", true),
        ("(?s).", "\r\n", true), ("(?s)..", "\r\n", false), ("(?s).\\n", "\r\n", false),
        ("\\R", "\r\n", true), ("\\R\\n", "\r\n", false), ("\\R", "\u{2028}", true),
        ("a$", "a", true), ("a$\\n", "a\n", true), ("a$\\r\\n", "a\r\n", true),
        ("a\\r$\\n", "a\r\n", false), ("a$\\nb", "a\nb", false), ("a\\Z\u{85}", "a\u{85}", true),
        ("a\\z\\n", "a\n", false), ("(?m)a$\\n^b", "a\nb", true), ("(?m)a\\n^", "a\n", false),
        ("(?m)a\\r^\\n", "a\r\n", true), ("a^b", "ab", false), ("\\Aa", "a", true),
        ("a\\b b", "a b", true), ("a\\Bb", "ab", true), ("a\\bb", "ab", false),
        ("a\u{301}\\b.", "a\u{301} ", true), ("a\\b.", "a\u{301}", false),
        ("(?i)aB", "Ab", true), ("a(?i)b|c", "C", true), ("(?i:a)b", "AB", false),
        ("(?i)k", "\u{212A}", true), ("(?i)[a-z]", "\u{17F}", true), ("(?i)i", "\u{131}", false),
        ("(?i)\\p{Lu}", "a", true), ("(?i)\\P{Lu}", "a", false), ("(?i-i:a)", "A", false),
        ("(?x) a b # c\n c", "abc", true), ("(?x)[a b]", " ", false), ("(?x)\\ ", " ", true),
        ("(?x)a {2}", "aa", true), ("\\Qa*\\E*", "a**", true), ("\\Q(\\E", "(", true),
        ("[a-c]+", "abc", true), ("[^a]", "b", true), ("[]a]", "]", true), ("[^]a]", "]", false),
        ("[a-]", "-", true), ("[-a]", "-", true), ("[a&b]", "&", true), ("[a^]", "^", true),
        ("[\\d-z]", "-", true), ("[a\\-z]", "b", false), ("[\\Qa-z\\E]", "b", false),
        ("[a[bc]]", "c", true), ("[a-z&&[b]c]", "c", true), ("[a-z&&b-y--c]", "c", false),
        ("[[a-z]-[b]]", "b", false), ("[[a-z]&[b]c]", "c", true), ("[a-[b]]", "-", true),
        ("[\\w&&[^\\d]]", "1", false), ("[\\p{L}--a]", "a", false), ("[^a&&b]", "b", true),
        ("[[:alpha:]]", "\u{E9}", true), ("[[:^alpha:]]", "1", true), ("[:digit:]", "7", true),
        ("[:a]", ":", true), ("[^:a]", "b", true), ("[[:punct:]]", "+", false),
        ("\\d", "\u{663}", true), ("\\D", "a", true), ("\\w", "\u{301}", true),
        ("\\W", "-", true), ("\\s", "\u{B}", true), ("\\S", "a", true), ("\\h", "\u{A0}", true),
        ("\\H", "\n", true), ("\\v", "\u{2029}", true), ("\\V", "a", true),
        ("\\p{Lu}", "\u{C9}", true), ("\\p{ uppercase_letter }", "A", true),
        ("\\p{gc=L}", "a", true), ("\\p{LC}", "a", true), ("\\p{IsL}", "a", true),
        ("\\p{Alphabetic}", "1", false), ("\\P{L}", "1", true), ("\\p{ASCII}", "\u{E9}", false),
        ("\\t\\n\\f\\a\\e", "\t\n\u{C}\u{7}\u{1B}", true), ("\\x41\\x{1F600}", "A\u{1F600}", true),
        ("\\u0041\\U0001F600", "A\u{1F600}", true), ("\\ud83d\\ude00", "\u{1F600}", true),
        ("\\cA\\ca", "\u{1}\u{1}", true), ("\\0101\\0400", "A 0", true), ("\\_\\*", "_*", true),
    ])
    func theSyntaxMeansWhatItMeansInICU(_ pattern: String, _ text: String, _ expected: Bool) throws
    {
        #expect(try matches(pattern, text) == expected)
        #expect(ICU.expression(pattern).map { ICU.matches($0, text) } == expected)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomPatternsMatchAsInICU(seed: UInt64) {
        print("randomPatternsMatchAsInICU: seed \(seed)")
        var generator = PatternGenerator(random: SeededGenerator(state: seed))
        var matchCount = 0
        var differences: [String] = []
        for _ in 0..<1500 {
            let pattern = generator.pattern()
            if pattern.contains("&-") { continue }
            let expression = try? RegularExpression(pattern)
            let icu = ICU.expression(pattern)
            for _ in 0..<4 {
                let text = generator.text()
                let isMatch = icu.map { ICU.matches($0, text) }
                if isMatch == true { matchCount += 1 }
                if expression?.matches(text) != isMatch {
                    differences.append("\(pattern.debugDescription) \(text.debugDescription)")
                }
            }
        }
        #expect(differences == [])
        #expect(matchCount > 300)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func randomClassesHoldWhatTheyHoldInICU(seed: UInt64) {
        print("randomClassesHoldWhatTheyHoldInICU: seed \(seed)")
        var generator = PatternGenerator(random: SeededGenerator(state: seed))
        let texts = ["a", "b", "c", "A", "Z", "1", "_", "-", "&", "^", ":", " ", "\n", "\u{E9}"]
        var differences: [String] = []
        for _ in 0..<2000 {
            let pattern = generator.characterClass(3)
            // After '&', ICU takes a range to begin where the one before it did.
            if pattern.contains("&-") { continue }
            let expression = try? RegularExpression(pattern)
            let held = expression.map { texts.filter($0.matches) }
            let icu = ICU.expression(pattern)
            let heldByICU = icu.map { icu in texts.filter { ICU.matches(icu, $0) } }
            if held != heldByICU { differences.append(pattern) }
        }
        #expect(differences == [])
    }

    @Test(arguments: ["\\w", "\\d", "\\s", "\\h", "\\v", ".", "a\\b."])
    func escapesHoldForTheScalarsTheyHoldForInICU(_ pattern: String) throws {
        let expression = try RegularExpression(pattern)
        let prefix = pattern.hasPrefix("a") ? "a" : ""
        var differences: [String] = []
        let icu = try #require(ICU.expression(pattern))
        for scalar in Scalars.some {
            let text = prefix + String(Character(scalar))
            if expression.matches(text) != ICU.matches(icu, text) {
                differences.append(String(scalar.value, radix: 16))
            }
        }
        #expect(differences == [])
    }

    @Test(arguments: [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc",
        "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp",
        "C", "Cc", "Cf", "Co", "LC", "Alphabetic", "Cased", "Lowercase", "Uppercase", "Math",
        "Dash", "Hex_Digit", "ID_Start", "White_Space", "Quotation_Mark", "alnum", "xdigit",
        "blank", "graph", "print", "word", "punct", "cntrl", "space", "digit", "Any", "ASCII",
        "Assigned", "Ideographic", "Emoji", "Default_Ignorable_Code_Point",
    ])
    func propertiesHoldForTheScalarsTheyHoldForInICU(_ name: String) throws {
        let expression = try RegularExpression("\\p{\(name)}")
        let icu = try #require(ICU.expression("\\p{\(name)}"))
        let differences = Scalars.some.filter {
            let text = String(Character($0))
            return expression.matches(text) != ICU.matches(icu, text)
        }
        #expect(differences.map { String($0.value, radix: 16) } == [])
    }

    @Test func theFlagIMakesAlikeWhatItMakesAlikeInICU() throws {
        var differences: [String] = []
        for scalar in Scalars.assigned where scalar.properties.changesWhenCaseMapped {
            let pattern = "(?i)[\(scalar)]"
            let expression = try RegularExpression(pattern)
            let icu = try #require(ICU.expression(pattern))
            let upper = scalar.properties.uppercaseMapping
            for text in [upper, upper.lowercased(), scalar.properties.lowercaseMapping, "s", "k"]
            where text.unicodeScalars.count == 1
                && expression.matches(text) != ICU.matches(icu, text)
            {
                differences.append("\(scalar) \(text)")
            }
        }
        #expect(differences == [])
    }

    // MARK: - Options

    @Test(arguments: [
        ("[A-Z]+", "abc", 1, true), ("[A-Z]+", "ABC", 1, true), ("[a-z]+", "ABC", 1, true),
        ("[^A-Z]", "a", 1, false), ("ABC", "aBc", 1, true), ("\\W", "-", 1, true),
        ("\\W", "A", 1, false), ("\\D\\S", "Ab", 1, true), ("\\p{Lu}", "a", 1, true),
        ("\\P{Lu}", "a", 1, false), ("[[:upper:]]", "a", 1, true), ("\u{C9}", "\u{E9}", 1, true),
        ("\u{C9}", "e", 1, false), ("\u{C9}", "e", 3, true), ("\u{C9}", "\u{C9}", 3, true),
        ("\u{C9}", "e", 2, false), ("\u{C9}", "E", 2, true), ("[\u{C0}-\u{FF}]", "E", 2, true),
        ("[\u{C0}-\u{DD}]", "\u{E9}", 3, true), ("[\u{E9}]", "E\u{301}", 3, true),
        ("[e\u{301}]", "\u{E9}", 3, true), ("caf\u{E9}?", "CAFE", 3, true),
        ("caf\u{E9}?", "CAF", 3, true), (".", "\u{E9}", 2, true), (".", "e\u{301}", 2, true),
        (".", "e\u{301}", 0, false), ("\u{3A3}", "\u{3C3}", 1, true),
        ("\u{3C2}", "\u{3C3}", 1, false), ("(?i)\u{3C2}", "\u{3C3}", 1, true),
        ("[\u{212A}]", "k", 1, true), ("[\u{2000}-\u{2200}]", "K", 1, true),
        ("\\x{C9}\\Q\u{C9}\\E", "ee", 3, true), ("\u{AC00}", "\u{AC00}", 2, true),
        ("\u{130}", "\u{130}", 1, true),
    ])
    func whatAPatternSpellsOutIsFoldedAsTheTextIs(
        _ pattern: String, _ text: String, _ options: UInt8, _ expected: Bool
    ) throws {
        #expect(try matches(pattern, text, .init(rawValue: options)) == expected)
    }

    @Test(arguments: [1, 2, 3] as [UInt8])
    func everyScalarThatFoldsMatchesItself(_ rawValue: UInt8) throws {
        let options = PredicateComparison.Options(rawValue: rawValue)
        var differences: [String] = []
        for scalar in Scalars.assigned {
            let text = String(Character(scalar))
            let folded = TextFolding.fold(StoredText(text), options).string.unicodeScalars
            if folded.elementsEqual(text.unicodeScalars) { continue }
            let name = "\\x{\(String(scalar.value, radix: 16))}"
            // A class matches one scalar of the folded text, so it can hold only what folds to one.
            let pattern = folded.count == 1 ? "\(name)[\(name)][\(name)-\(name)]" : name
            let texts = folded.count == 1 ? text + text + text : text
            if try !matches(pattern, texts, options) { differences.append(name) }
        }
        #expect(differences == [])
    }

    @Test(arguments: [1, 2, 3] as [UInt8], [100, 200] as [UInt32])
    func aRangeHoldsWhatItsMembersFoldTo(_ rawValue: UInt8, _ length: UInt32) throws {
        let options = PredicateComparison.Options(rawValue: rawValue)
        var differences: [String] = []
        for first in stride(from: UInt32(0x80), to: 0x2400, by: Int(length)) {
            let members = (first..<first + length).compactMap { Unicode.Scalar($0) }
            let images = Set(
                members.map { TextFolding.fold(StoredText(String(Character($0))), options) })
            let hex = [first, first + length - 1].map { "\\x{\(String($0, radix: 16))}" }
            let expression = try RegularExpression("[\(hex[0])-\(hex[1])]", options: options)
            for text in Set((UInt8(32)..<127).map { StoredText(String(Unicode.Scalar($0))) })
                .union(images)
            where text.string.unicodeScalars.count == 1 {
                let isImage = images.contains(text)
                // What is no folded text does not count.
                if TextFolding.fold(text, options) != text { continue }
                if expression.matches(text.string) != isImage {
                    differences.append("\(hex) \(text.string)")
                }
            }
        }
        #expect(differences == [])
    }

    // MARK: - Refusals

    @Test(arguments: [
        ("a(?=b)", 1), ("a(?!b)", 1), ("(?<=a)b", 0), ("a(?<!a)b", 1), ("a(?>b)", 1), ("ab*+", 3),
        ("a++", 2), ("a?+", 2), ("a{2}+", 4), ("(a)\\1", 3), ("(?<n>a)\\k<n>", 7), ("(?(1)a)", 0),
        ("(?R)", 0), ("a\\X", 1), ("a\\G", 1), ("\\N{DIGIT ONE}", 0), ("a\\p{Script=Greek}", 1),
        ("\\p{Greek}", 0), ("[a\\p{InGreek}]", 2), ("[[:script=Greek:]]", 1), ("(?w)a", 0),
        ("(?d)a", 0),
    ])
    func whatIsNotOfferedIsRefused(_ pattern: String, _ offset: Int) {
        expectError(.unsupportedPattern, offset, pattern)
    }

    @Test func whatFoldingForbidsIsRefused() {
        expectError(.unsupportedPattern, 1, "[\u{AC00}]", .diacriticInsensitive)
        expectError(.unsupportedPattern, 4, "[a--\u{130}]", .caseInsensitive)
        expectError(.unsupportedPattern, 1, "a(?-i)b", .caseInsensitive)
    }

    @Test(arguments: [
        ("a)", 1), ("a(b", 1), ("(", 0), ("*", 0), ("a|*", 2), ("a**", 2), ("a{2}{3}", 4),
        ("{", 0), ("a}", 1), ("a{", 1), ("a{,2}", 1), ("a{2,1}", 1), ("\\A*", 2), ("\\b+", 2),
        ("a[b", 1), ("a[]", 1), ("[b-a]", 3), ("[a&&]", 4), ("[--a]", 1), ("[&&a]", 1),
        ("[a-\\d]", 3), ("a\\", 1), ("\\y", 0), ("[\\b]", 1), ("\\x{110000}", 0), ("\\ud800", 0),
        ("\\u12", 0), ("\\0", 0), ("\\pL", 0), ("\\c", 0), ("(?)", 0), ("(?y)", 0), ("(?<1>a)", 0),
        ("a(?#b", 1), ("(?<n", 0), ("(?<n>a)(?<n>b)", 7),
    ])
    func whatBreaksTheSyntaxIsAnError(_ pattern: String, _ offset: Int) {
        expectError(.invalidPattern, offset, pattern)
    }

    @Test func patternsAreBounded() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "a" + String(repeating: close, count: depth)
        }
        #expect(try matches(nested(128, "(", ")"), "a"))
        #expect(try matches(nested(128, "[", "]"), "a"))
        expectError(.patternTooComplex, 128, nested(129, "(", ")"))
        expectError(.patternTooComplex, 128, nested(129, "[", "]"))
        expectError(.patternTooComplex, nil, nested(100_000, "(", ")"))
        #expect(try matches("a{1000}", String(repeating: "a", count: 1000)))
        expectError(.patternTooComplex, nil, "a{1001}")
        expectError(.patternTooComplex, nil, "a{99999999999999999999}")
        expectError(.patternTooComplex, nil, "(a{1000}){1000}")
        expectError(.patternTooComplex, nil, "(?:[\\d\\d\\d\\d\\d\\d\\d\\d]{1000}){5}")
        #expect(
            try matches(
                String(repeating: "a", count: 19_000), String(repeating: "a", count: 19_000)))
        expectError(.patternTooComplex, nil, String(repeating: "a", count: 20_001))
        expectError(.patternTooComplex, 0, String(repeating: "a", count: 65_537))
    }

    @Test func nothingRepeatedOverAndOverIsNothing() throws {
        let pattern = String(repeating: "(", count: 100) + String(repeating: "){1000}", count: 100)
        #expect(try matches(pattern, ""))
        #expect(try !matches(pattern, "a"))
    }

    // MARK: - Hostile patterns and texts

    @Test(arguments: [
        "(a*)*b", "(a|a)*c", "(a|aa)+b", "(.*)*x", "(?:a?){50}a{50}b", "(?s)(.|a)*b", "(a*b?)*c",
        "((((a*)*)*)*)*b", "(?:^a*)*$b",
    ])
    func nothingIsTriedAgain(_ pattern: String) throws {
        let text = String(repeating: "a", count: 100_000)
        let expression = try RegularExpression(pattern)
        #expect(!expression.matches(text))
        // Behind what is not ASCII there is no table.
        let other = try RegularExpression("\u{E9}(?:\(pattern))")
        #expect(!other.matches("\u{E9}" + text))
    }

    @Test func aPatternTooLargeForATableMatchesTheSame() throws {
        // The alternative never matches; with it the program is too large for a table.
        var generator = PatternGenerator(random: SeededGenerator(state: 7))
        for _ in 0..<500 {
            let pattern = generator.pattern()
            guard let small = try? RegularExpression(pattern) else { continue }
            let large = try RegularExpression("(?:\(pattern))|\u{E9}{900}")
            for _ in 0..<4 {
                let text = generator.text()
                #expect(small.matches(text) == large.matches(text), "\(pattern) \(text)")
            }
        }
    }

    @Test func malformedBytesAreReadAsStringsReadThem() throws {
        var random = SeededGenerator(state: 8)
        let bytes: [UInt8] = [
            0x00, 0x61, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xA0, 0xED, 0xEF, 0xF0, 0x90,
            0xF4, 0xF5, 0xFF, 0x8F,
        ]
        for _ in 0..<2000 {
            let text = (0..<6).map { _ in bytes.randomElement(using: &random) ?? 0 }
            let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
            let pattern = scalars.map { "\\x{\(String($0.value, radix: 16))}" }.joined()
            let expression = try RegularExpression(pattern)
            #expect(text.withUnsafeBytes { expression.matches($0) }, "\(text)")
            #expect((text + [0x61]).withUnsafeBytes { !expression.matches($0) }, "\(text)")
        }
    }

    private func expectError(
        _ code: RegularExpressionError.Code, _ offset: Int?, _ pattern: String,
        _ options: PredicateComparison.Options = []
    ) {
        let error = #expect(throws: RegularExpressionError.self, "\(pattern.prefix(80))") {
            try RegularExpression(pattern, options: options)
        }
        #expect(error?.code == code, "\(pattern.prefix(80))")
        if let offset { #expect(error?.offset == offset, "\(pattern.prefix(80))") }
    }
}
