import DuramenModel
import Foundation
import Testing

@testable import DuramenQuery

/// The order in which people look names up.
@Suite struct TextOrderTests {
    private static let latin = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZáàăâåäãąāÁÀÄçćčÇèéêëěęıïíłŁñńňŋòóôöőõøØœŒæÆß"
            + "śšşșťţŧþÞđĐðħýÿžźżŽ"
    ).map(String.init)
    // Without letters of which Foundation skips a part, taking it for a common beginning: "и" of
    // "й".
    private static let greek = Array("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊΑΒΓΔΩΣΆ").map(String.init)
    private static let cyrillic =
        Array("абвгґдђеёєжзиіїклљмнњопрстћуўфхцчџшщъыьэюяАБВГЯЁЇ").map(String.init)
    private static let signs = Array(
        " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$¢£¥–—‘’“”„«»¿¡§¶°©®±÷×¬¦‰†•"
    )
    .map(String.init)
    private static let digits = (0...9).map(String.init)

    /// The order of ICU, which Foundation uses.
    private func expected(_ a: String, _ b: String) -> Int {
        let whole = NSRange(location: 0, length: (a as NSString).length)
        return (a as NSString)
            .compare(b, options: [], range: whole, locale: Locale(identifier: "en")).rawValue
    }

    private func order(_ a: String, _ b: String, _ options: PredicateComparison.Options) -> Int {
        func key(_ text: String) -> StoredText {
            TextFolding.fold(StoredText(text), options.union(.localeSensitive))
        }
        let (first, second) = (key(a), key(b))
        return first == second ? 0 : first < second ? -1 : 1
    }

    @Test(
        "It is the order of CLDR's root for letters, marks, signs and digits",
        arguments: [
            latin, greek, cyrillic, latin + signs + digits, latin + greek + cyrillic + signs,
        ])
    func isTheRootsOrder(_ characters: [String]) {
        let seed = UInt64.random(in: 0...9999)
        print("seed \(seed)")
        var random = SeededGenerator(state: seed)
        var differences: [String] = []
        for _ in 0..<20_000 {
            func text() -> String {
                (0..<random.next() % 5).map { _ in
                    characters[Int(random.next() % UInt64(characters.count))]
                }.joined()
            }
            let beginning = text()
            let (a, b) = (beginning + text(), beginning + text())
            let (found, wanted) = (order(a, b, []), expected(a, b))
            if found != wanted { differences.append("'\(a)' '\(b)': \(found), not \(wanted)") }
        }
        #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(9))")
    }

    @Test func shortIFollowsI() {
        let texts = ["и", "иа", "ия", "й", "Й", "йа", "к"]
        for (place, text) in texts.enumerated() {
            for other in texts[(place + 1)...] { #expect(order(text, other, []) == -1) }
        }
        #expect(order("й", "и\u{306}", []) == 0)
    }

    @Test func marksAndCaseCountWhereAllLettersAreTheSame() {
        let texts = ["cote", "Cote", "coté", "côte", "CÔTE", "côté", "coter"]
        for (place, text) in texts.enumerated() {
            for other in texts[(place + 1)...] { #expect(order(text, other, []) == -1) }
        }
        #expect(order("Cote", "cote", .caseInsensitive) == 0)
        #expect(order("coté", "cote", .caseInsensitive) == 1)
        #expect(order("coté", "cote", .diacriticInsensitive) == 0)
        #expect(order("Coté", "cote", .diacriticInsensitive) == 1)
        #expect(order("CÔTÉ", "cote", [.caseInsensitive, .diacriticInsensitive]) == 0)
    }

    @Test func numbersAreComparedByTheirValues() {
        let texts = ["", "a", "a 1", "a 2", "a 9", "a 10", "a 10b", "a 11", "a 100", "a b"]
        for (place, text) in texts.enumerated() {
            for other in texts[(place + 1)...] {
                #expect(order(text, other, .numeric) == -1, "\(text), \(other)")
                #expect(order(other, text, .numeric) == 1)
            }
        }
        #expect(order("a 007", "a 7", .numeric) == 0)
        #expect(order("a 0", "a 1", .numeric) == -1)
        #expect(order("a 9", "a 10", []) == 1)
        #expect(order("٣", "4", .numeric) == -1)
        let names = ["1й", "2а", "8", "8½", "9", "10", "10²", "11", "12", "125"]
        for (place, text) in names.enumerated() {
            for other in names[(place + 1)...] {
                #expect(order(text, other, .numeric) == -1, "\(text), \(other)")
            }
        }
        #expect(order("12й5", "й125", .numeric) == -1)
        #expect(order("1\u{AD}0", "10", .numeric) == 0)
        #expect(order("1\u{0}0", "10", .numeric) == 0)
        let nines = String(repeating: "9", count: 500)
        #expect(order(nines, "1" + String(repeating: "0", count: 500), .numeric) == -1)
        #expect(order(nines, nines + "0", .numeric) == -1)
    }

    @Test func whatIsWrittenOtherwiseOnlyIsTheSame() {
        for (a, b) in [
            ("é", "e\u{301}"), ("ﬁn", "fin"), ("Ａ", "A"), ("a\u{AD}b", "ab"), ("a\u{0}b", "ab"),
            ("ｶ", "カ"), ("\u{A0}", " "), ("²", "2"),
        ] {
            #expect(order(a, b, []) == 0, "\(a) \(b)")
        }
        #expect(order("かき", "カキ", .caseInsensitive) == 0)
        #expect(order("σ", "ς", []) == -1)
        #expect(order("ς", "Σ", []) == -1)
        #expect(order("ς", "Σ", .caseInsensitive) == 0)
        #expect(order("\u{1F600}", "a", []) == -1)
        #expect(order("漢", "か", []) == 1)
    }

    @Test func keysAreTextAndAnyBytesHaveOne() {
        var random = SeededGenerator(state: 7)
        for _ in 0..<2_000 {
            let bytes = (0..<random.next() % 12).map { _ in UInt8(truncatingIfNeeded: random.next())
            }
            let key = bytes.withUnsafeBytes { TextOrder.key(of: $0, .numeric) }
            #expect(String(validating: key, as: UTF8.self) != nil)
        }
        for scalar in (0..<0x3100).compactMap(Unicode.Scalar.init) {
            let key = Array(String(Character(scalar)).utf8).withUnsafeBytes {
                TextOrder.key(of: $0, [])
            }
            #expect(String(validating: key, as: UTF8.self) != nil, "\(scalar.value)")
        }
    }

    @Test func longTextsTakeTimeInProportion() {
        let text = String(repeating: "é\u{301}日本", count: 20_000)
        #expect(order(text, text + "a", []) == -1)
    }
}
