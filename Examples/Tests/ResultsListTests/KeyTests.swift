import ResultsListKit
import Testing

/// Bytes of a terminal become keys.
struct KeyTests {
    @Test func sequencesAndTextAreKeys() {
        let decoder = KeyDecoder()
        let bytes = Array("\u{1B}[A\u{1B}[6~qé/".utf8) + [0x7F, 0x0D, 0x03]
        #expect(
            decoder.keys(in: bytes) == [
                .up, .pageDown, .character("q"), .character("é"), .character("/"), .backspace,
                .enter, .interrupt,
            ])
        #expect(decoder.keys(in: [0x1B]) == [.escape])
        // A key that means nothing here is no text.
        #expect(decoder.keys(in: Array("\u{1B}[1;5Cx".utf8)) == [.character("x")])
        #expect(decoder.keys(in: [0xC3]) == [.character("\u{FFFD}")])
    }
}
