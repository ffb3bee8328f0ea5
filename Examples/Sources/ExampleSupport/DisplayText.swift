extension String {
    /// The text with every control character replaced, so that data cannot steer a terminal.
    public var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            text.append(scalar.steersTerminals ? "\u{FFFD}" : scalar)
        }
        return String(text)
    }

    /// How many columns of a terminal the text takes.
    public var displayColumns: Int {
        reduce(0) { $0 + $1.displayColumns }
    }

    /// The text cut to the given number of columns, with an ellipsis where something is missing.
    public func cut(toColumns limit: Int) -> String {
        guard displayColumns > limit else { return self }
        var columns = 0
        let kept = prefix { character in
            columns += character.displayColumns
            return columns < limit
        }
        return limit > 0 ? kept + "…" : ""
    }
}

extension Character {
    /// How many columns the character takes; East Asian characters and emoji take two.
    fileprivate var displayColumns: Int {
        guard let value = unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one that reorders the text around it.
    fileprivate var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        default: false
        }
    }
}
