import DuramenTestKit
import StoreTestSupport
import Testing

@testable import DuramenPostgres

struct TextEscapingTests {
    @Test func theEscapeKeepsEqualityOrderAndPrefixes() {
        var random = SplitMix64(seed: randomSeed())
        for _ in 0..<repetitions(20_000) {
            let (a, b) = (Self.text(&random), Self.text(&random))
            let (storedA, storedB) = (Self.escaped(a), Self.escaped(b))
            #expect(!storedA.contains(0))
            #expect((a == b) == (storedA == storedB), "\(a) \(b)")
            #expect(
                a.lexicographicallyPrecedes(b) == storedA.lexicographicallyPrecedes(storedB),
                "\(a) \(b)")
            #expect(a.starts(with: b) == storedA.starts(with: storedB), "\(a) \(b)")
            #expect(Self.unescaped(storedA) == a)
        }
    }

    @Test func aTextWithoutLowBytesIsStoredAsItIs() {
        let text = Array("plain \u{2} text".utf8)
        #expect(Self.escaped(text) == text)
        #expect(!text.withUnsafeBytes { TextEscaping.needsEscaping($0) })
        #expect(!text.withUnsafeBytes { TextEscaping.isEscaped($0) })
    }

    @Test(arguments: [[1], [65, 1], [1, 3], [1, 1, 1], [1, 0]] as [[UInt8]])
    func aTextThatNobodyEscapedIsDamaged(stored: [UInt8]) {
        #expect(Self.unescaped(stored) == nil)
    }

    private static func text(_ random: inout SplitMix64) -> [UInt8] {
        let alphabet: [UInt8] = [0, 1, 2, 3, 65]
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &random)]
        }
    }

    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.withUnsafeBytes { TextEscaping.escape($0) }
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBytes { TextEscaping.unescape($0) }
    }
}
