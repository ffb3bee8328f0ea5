import DuramenModel

/// Values as JSON.
enum JSONText {
    static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): String(number)
        case .double(let number) where number.isFinite: String(number)
        case .boolean(let flag): String(flag)
        default: quoted(value.exactText)
        }
    }

    /// Returns an object with its entries in the order of the list.
    static func object(_ entries: [(name: String, text: String)]) -> String {
        "{" + entries.map { "\(quoted($0.name)): \($0.text)" }.joined(separator: ", ") + "}"
    }

    static func array(_ texts: [String]) -> String { "[" + texts.joined(separator: ", ") + "]" }

    /// Returns the text in quotes. All control characters are escaped, even those that JSON allows,
    /// so that none reaches a terminal.
    static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted.append("\\")
                quoted.append(scalar)
            case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
            case "\r": quoted.append(contentsOf: "\\r".unicodeScalars)
            case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
            case _ where !PlainLine.isPlain(scalar):
                quoted.append(contentsOf: escape(scalar).unicodeScalars)
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// Returns JSON with escaped control characters. Line feeds stay: they are only between values.
    static func escapingControls(_ json: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            if scalar == "\n" || PlainLine.isPlain(scalar) {
                escaped.append(scalar)
            } else {
                escaped.append(contentsOf: escape(scalar).unicodeScalars)
            }
        }
        return String(escaped)
    }

    // The control characters of terminals are below U+10000.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
