/// Writes text and names of format strings.
enum FormatText {
    /// Returns text between quotes, with escapes for quotes and invisible characters.
    static func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += "\\\(scalar)"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                output += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }

    /// Returns a name: plain, with `#` if it is a reserved word, or with `#` and quotes.
    static func name(_ name: String) -> String {
        let scalars = name.unicodeScalars
        guard let first = scalars.first, isIdentifierStart(first),
            scalars.allSatisfy(isIdentifierPart)
        else { return "#" + quoted(name) }
        return ReservedWord(name) == nil ? name : "#" + name
    }

    static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? isIdentifierStart(UInt8(truncatingIfNeeded: scalar.value))
            : scalar.properties.isXIDStart
    }

    static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? isIdentifierPart(UInt8(truncatingIfNeeded: scalar.value))
            : scalar.properties.isXIDContinue
    }

    /// Returns whether an ASCII character can begin a name.
    static func isIdentifierStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }

    /// Returns whether an ASCII character can be in a name.
    static func isIdentifierPart(_ byte: UInt8) -> Bool {
        isIdentifierStart(byte) || isDigit(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }
}
