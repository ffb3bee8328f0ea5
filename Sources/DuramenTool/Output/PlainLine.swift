/// A text on one line, whatever a file's names have in it: none can end the line, move the cursor or turn
/// the direction of writing.
struct PlainLine {
    let text: String

    init(_ text: String) {
        self.text = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { Self.isPlain($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The joiners of emoji stay.
        case .format: !scalar.properties.isBidiControl
        default: true
        }
    }
}
