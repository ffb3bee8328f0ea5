/// The width of text on a terminal.
enum DisplayWidth {
    /// Returns the width of a text of one line.
    static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// Returns the text, or its beginning and an ellipsis.
    static func cut(_ text: String, to width: Int) -> String {
        if of(text) <= width { return text }
        var cut = ""
        var room = width - 1
        for character in text {
            room -= of(character)
            if room < 0 { break }
            cut.append(character)
        }
        return cut + "…"
    }

    // Unicode: the blocks whose characters are wide or full-width (EastAsianWidth.txt), roughly.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    private static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation { return 2 }
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        return wide.contains { $0.contains(first.value) } ? 2 : 1
    }
}
