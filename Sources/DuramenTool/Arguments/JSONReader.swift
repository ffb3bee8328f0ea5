/// Parses JSON strictly by RFC 8259.
struct JSONReader {
    // Arguments need no more.
    private static let deepest = 16

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Returns the one value of the text.
    static func value(_ text: String) throws(ArgumentFailure) -> JSONValue {
        var reader = JSONReader(text)
        let value = try reader.value()
        reader.skipSpace()
        if reader.place < reader.scalars.count {
            throw reader.failure("nothing may follow the value; take the rest away.")
        }
        return value
    }

    private func failure(_ message: String) -> ArgumentFailure {
        ArgumentFailure(message, at: place)
    }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func skipSpace() {
        while let next, next == " " || next == "\n" || next == "\r" || next == "\t" { place += 1 }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        if next != scalar { return false }
        place += 1
        return true
    }

    // MARK: - Values

    private mutating func value() throws(ArgumentFailure) -> JSONValue {
        skipSpace()
        let start = place
        switch next ?? " " {
        case "\"": return JSONValue(content: .text(try text()), offset: start)
        case "[": return JSONValue(content: .list(try list()), offset: start)
        case "{": return JSONValue(content: .object(try object()), offset: start)
        case "-", "0"..."9": return JSONValue(content: try number(), offset: start)
        default:
            for (word, content) in [
                ("null", JSONValue.Content.null), ("true", .boolean(true)),
                ("false", .boolean(false)),
            ] where scalars[place...].starts(with: word.unicodeScalars) {
                place += word.unicodeScalars.count
                return JSONValue(content: content, offset: start)
            }
            throw failure("a value is expected; write text in double quotes.")
        }
    }

    private mutating func list() throws(ArgumentFailure) -> [JSONValue] {
        var values: [JSONValue] = []
        try elements(until: "]") { (reader) throws(ArgumentFailure) in
            values.append(try reader.value())
        }
        return values
    }

    private mutating func object() throws(ArgumentFailure) -> [(name: String, value: JSONValue)] {
        var entries: [(name: String, value: JSONValue)] = []
        try elements(until: "}") { (reader) throws(ArgumentFailure) in
            reader.skipSpace()
            guard reader.next == "\"" else { throw reader.failure("a name in quotes is expected.") }
            let name = try reader.text()
            reader.skipSpace()
            guard reader.skip(":") else { throw reader.failure("':' is expected.") }
            entries.append((name, try reader.value()))
        }
        return entries
    }

    private mutating func elements(
        until end: Unicode.Scalar,
        _ element: (inout JSONReader) throws(ArgumentFailure) -> Void
    ) throws(ArgumentFailure) {
        if depth == Self.deepest {
            throw failure("values are nested more than \(Self.deepest) deep.")
        }
        depth += 1
        defer { depth -= 1 }
        place += 1
        skipSpace()
        if skip(end) { return }
        repeat {
            try element(&self)
            skipSpace()
        } while skip(",")
        guard skip(end) else { throw failure("',' or '\(end)' is expected.") }
    }

    // MARK: - Numbers

    private mutating func number() throws(ArgumentFailure) -> JSONValue.Content {
        let start = place
        _ = skip("-")
        if !skip("0") { try digits() }
        var isWhole = true
        if skip(".") {
            isWhole = false
            try digits()
        }
        if skip("e") || skip("E") {
            isWhole = false
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<place])
        let text = String(view)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard !isWhole, let number = Double(text), number.isFinite else {
            place = start
            throw failure("the number is too large; write {\"decimal\": \"…\"}.")
        }
        return .double(number == 0 ? 0 : number)
    }

    private mutating func digits() throws(ArgumentFailure) {
        let start = place
        while let next, ("0"..."9").contains(next) { place += 1 }
        if place == start { throw failure("a digit is expected.") }
    }

    // MARK: - Text

    private mutating func text() throws(ArgumentFailure) -> String {
        var view = String.UnicodeScalarView()
        place += 1
        while let next {
            place += 1
            switch next {
            case "\"": return String(view)
            case "\\": view.append(try escape())
            case _ where next.value < 0x20:
                place -= 1
                throw failure("a control character stands in a text; write it as \\u00….")
            default: view.append(next)
            }
        }
        throw failure("the text has no end; close its quotes.")
    }

    private mutating func escape() throws(ArgumentFailure) -> Unicode.Scalar {
        guard let next else { throw failure("the text has no end; close its quotes.") }
        place += 1
        switch next {
        case "\"", "\\", "/": return next
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let unit = try hexadecimal()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // The first half of a pair, or invalid.
            if UTF16.isLeadSurrogate(UInt16(unit)), skip("\\"), skip("u") {
                let other = try hexadecimal()
                if UTF16.isTrailSurrogate(UInt16(other)),
                    let scalar = Unicode.Scalar(
                        0x1_0000 + (unit - 0xD800) << 10 + (other - 0xDC00))
                {
                    return scalar
                }
            }
            throw failure("half of a surrogate pair stands alone.")
        default:
            place -= 1
            throw failure("'\\\(next)' is not an escape of JSON.")
        }
    }

    private mutating func hexadecimal() throws(ArgumentFailure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let next, next.isASCII, let digit = Character(next).hexDigitValue else {
                throw failure("four hexadecimal digits are expected after \\u.")
            }
            unit = unit << 4 | UInt32(digit)
            place += 1
        }
        return unit
    }
}
