import DuramenModel
import DuramenSQL
import Testing

/// The end of the range of the texts that begin with a text.
@Suite struct TextRangeTests {
    @Test(arguments: [
        ("a", "b"), ("ab", "ac"), ("a\u{7F}", "a\u{80}"), ("\u{D7FF}", "\u{E000}"),
        ("a\u{10FFFF}", "b"), ("a\u{10FFFF}\u{10FFFF}", "b"), ("\u{10FFFE}", "\u{10FFFF}"),
        ("e\u{301}", "e\u{302}"), ("\0", "\u{1}"), ("\u{10FFFF}", nil),
        ("\u{10FFFF}\u{10FFFF}", nil),
    ])
    func theEndIsTheNextCharacter(_ text: String, _ end: String?) {
        #expect(
            ParameterForm.nextText.parameter(of: .text(StoredText(text)))
                == end.map { .text(StoredText($0)) })
    }

    @Test func theEndIsAboveAllThatBeginWithTheText() throws {
        for text in ["a", "\u{7F}", "\u{7FF}", "\u{D7FF}", "\u{FFFF}", "b\u{10FFFF}"] {
            guard case .text(let end)? = ParameterForm.nextText.parameter(of: .text(.init(text)))
            else {
                Issue.record("\(text) has no end")
                continue
            }
            #expect(StoredText(text) < end)
            #expect(StoredText(text + "\u{10FFFF}\u{10FFFF}") < end)
        }
    }
}
