/// A text on one line, safe for a terminal: control characters are escaped as in Swift, such as
/// `\n` and `\u{1B}`. So no name or value in a file can end the line, move the cursor, change a
/// colour or reverse the writing direction.
struct PlainLine {
    let text: String

    init(_ text: String) { self.text = Self.escaped(text, keepsLines: false) }

    /// Returns safe text of several lines, whose line feeds stay.
    static func lines(of text: String) -> String { escaped(text, keepsLines: true) }

    private static func escaped(_ text: String, keepsLines: Bool) -> String {
        if !text.utf8.contains(where: mayNeedEscape) { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isPlain(scalar) || (keepsLines && scalar == "\n") {
                escaped.append(scalar)
            } else {
                escaped.append(contentsOf: escape(scalar).unicodeScalars)
            }
        }
        return String(escaped)
    }

    // The control characters below U+0080, and the first bytes of U+0080 to U+009F, U+061C and
    // U+2000 to U+2FFF.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
    }

    /// Whether a terminal only shows the character.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The joiners of emoji are kept.
        case .format: !scalar.properties.isBidiControl
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}
