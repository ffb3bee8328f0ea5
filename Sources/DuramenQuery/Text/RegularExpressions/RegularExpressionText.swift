/// A text for matching: its scalars, and the context of the positions between them.
struct RegularExpressionText {
    let utf8: UnsafeRawBufferPointer
    /// The start of the line terminator that ends the text; nil if there is none or it is not
    /// needed.
    let finalTerminator: Int?

    init(_ utf8: UnsafeRawBufferPointer, findsFinalTerminator: Bool) {
        self.utf8 = utf8
        finalTerminator = findsFinalTerminator ? Self.finalTerminator(of: utf8) : nil
    }

    private static func finalTerminator(of utf8: UnsafeRawBufferPointer) -> Int? {
        let count = utf8.count
        switch utf8.last {
        // CR LF is one terminator.
        case 0x0A: return count > 1 && utf8[count - 2] == 0x0D ? count - 2 : count - 1
        case 0x0B, 0x0C, 0x0D: return count - 1
        case 0x85: return count > 1 && utf8[count - 2] == 0xC2 ? count - 2 : nil
        case 0xA8, 0xA9:
            return count > 2 && utf8[count - 3] == 0xE2 && utf8[count - 2] == 0x80
                ? count - 3 : nil
        default: return nil
        }
    }

    /// Returns the scalar at `place`, which is before the end, and moves `place` after it.
    ///
    /// Malformed bytes are replaced as by `String(decoding:as:)`: one U+FFFD for each maximal part
    /// of a well-formed sequence (The Unicode Standard, 3.9, table 3-7).
    func scalar(at place: inout Int) -> Unicode.Scalar {
        let lead = utf8[place]
        place += 1
        if lead < 0x80 { return Unicode.Scalar(lead) }
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let length: Int
        switch lead {
        case 0xC2...0xDF: length = 1
        case 0xE0...0xEF: length = 2
        case 0xF0...0xF4: length = 3
        default: return "\u{FFFD}"
        }
        switch lead {
        case 0xE0: second = 0xA0...0xBF
        case 0xED: second = 0x80...0x9F
        case 0xF0: second = 0x90...0xBF
        case 0xF4: second = 0x80...0x8F
        default: break
        }
        var value = UInt32(lead) & (0x3F >> UInt32(length))
        for _ in 0..<length {
            guard place < utf8.count, second.contains(utf8[place]) else { return "\u{FFFD}" }
            value = value << 6 | UInt32(utf8[place] & 0x3F)
            place += 1
            second = 0x80...0xBF
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line for `.`, `^`, `$` and `\v`.
    var isLineTerminator: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether `\w` matches the scalar.
    var isWord: Bool {
        if isASCII { return value == 0x5F || value &- 48 < 10 || (value | 0x20) &- 97 < 26 }
        if properties.isAlphabetic || value == 0x200C || value == 0x200D { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
            return true
        default: return false
        }
    }

    /// Whether word boundaries ignore the scalar.
    var isCombining: Bool {
        !isASCII && (properties.isGraphemeExtend || properties.generalCategory == .format)
    }
}
