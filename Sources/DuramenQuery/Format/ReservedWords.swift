/// The words that mean something in format strings, in upper case; a property of such a name is written
/// with `#` before it.
enum ReservedWords {
    static let all: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
        "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
        "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST",
        "TRUEPREDICATE", "FALSEPREDICATE", "FUNCTION", "TERNARY", "UNION", "INTERSECT", "MINUS",
    ]

    /// A name as format strings spell it: plain, with `#`, or with `#` and quotes.
    static func spelling(of name: String) -> String {
        let scalars = name.unicodeScalars
        guard let first = scalars.first, isIdentifierStart(first),
            scalars.allSatisfy(isIdentifierPart)
        else { return "#" + FormatText.quoted(name) }
        return all.contains(name.uppercased()) ? "#" + name : name
    }

    static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || (scalar.isASCII ? isLetter(scalar) : scalar.properties.isXIDStart)
    }

    static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || ("0"..."9").contains(scalar)
            || (scalar.isASCII ? isLetter(scalar) : scalar.properties.isXIDContinue)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}

/// How format strings write text.
enum FormatText {
    /// Text between quotes, with escapes for what would end it or not be seen.
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
}
