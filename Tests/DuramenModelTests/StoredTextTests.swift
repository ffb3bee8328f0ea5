import DuramenModel
import Foundation
import Testing

struct StoredTextTests {
    @Test func bothFormsOfAnAccentDiffer() {
        let composed: StoredText = "\u{E9}"
        let decomposed: StoredText = "e\u{301}"
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(decomposed < composed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test(
        arguments: [
            ("", "\0"), ("\0", "\u{1}"), ("a", "a\0"), ("a\0a", "a\0b"), ("a", "b"), ("Z", "a"),
            ("a", "ab"), ("z", "\u{80}"), ("\u{7FF}", "\u{800}"), ("\u{FFFF}", "\u{10000}"),
            ("\u{E000}", "😀"),
        ] as [(StoredText, StoredText)])
    func theOrderIsThatOfTheBytes(smaller: StoredText, larger: StoredText) {
        #expect(smaller < larger)
        #expect(!(larger < smaller))
        #expect(smaller != larger)
    }

    @Test func bytesGoInAndOutUnchanged() {
        let bytes = Array("a\0é😀\u{FEFF}".utf8)
        let text = bytes.withUnsafeBytes { StoredText(utf8: $0) }
        #expect(text.withUTF8 { Array($0) } == bytes)
        #expect(StoredText(utf8: UnsafeRawBufferPointer(start: nil, count: 0)) == "")
        #expect(StoredText("").withUTF8 { $0.count } == 0)
    }

    @Test func malformedBytesBecomeReplacementCharacters() {
        let text = [0x61, 0xFF, 0x62].map(UInt8.init).withUnsafeBytes { StoredText(utf8: $0) }
        #expect(text == "a\u{FFFD}b")
    }

    @Test func errorsOfTheBodyPassThrough() {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try StoredText("a").withUTF8 { _ in throw Stop() } }
    }

    @Test func textSurvivesCoding() throws {
        let texts: [StoredText] = ["", "\0", "\u{E9}", "e\u{301}", "😀\"\\"]
        let data = try JSONEncoder().encode(texts)
        #expect(try JSONDecoder().decode([StoredText].self, from: data) == texts)
    }

    @Test func randomTextsObeyTheLawsOfAnOrder() {
        var random = SeededRandom()
        let scalars = Array("\0aAbBzé\u{301}\u{7F}\u{80}ß\u{FFFF}😀".unicodeScalars)
        let texts = (0..<60).map { _ in
            let count = Int.random(in: 0...4, using: &random)
            var string = ""
            for _ in 0..<count {
                string.unicodeScalars.append(scalars.randomElement(using: &random)!)
            }
            return string
        }
        for a in texts {
            for b in texts {
                let (left, right) = (StoredText(a), StoredText(b))
                let isEqual = Array(a.utf8) == Array(b.utf8)
                let comes = a.utf8.lexicographicallyPrecedes(b.utf8)
                #expect((left == right) == isEqual, "seed \(random.seed)")
                #expect((left < right) == comes, "seed \(random.seed)")
                #expect(
                    [left < right, left == right, right < left].count { $0 } == 1,
                    "seed \(random.seed)")
                if isEqual { #expect(left.hashValue == right.hashValue, "seed \(random.seed)") }
            }
        }
        let sorted = texts.map { StoredText($0) }.sorted()
        for (index, text) in sorted.enumerated() {
            for later in sorted[index...] { #expect(!(later < text), "seed \(random.seed)") }
        }
    }
}
