extension MarkupReader {
    /// The present position of the reader.
    var place: SourcePlace { SourcePlace(line: line, column: position - lineStart + 1) }

    /// Reads the name of an element or attribute.
    mutating func name(_ what: String) throws(MarkupError) -> String {
        let start = position
        while position < bytes.count, Self.isOfName(bytes[position]) { position += 1 }
        guard position > start, !Self.isDigit(bytes[start]) else {
            position = start
            throw unexpected("where \(what) has its name")
        }
        guard position - start <= MarkupLimits.nameBytes else {
            throw MarkupError(
                message: "the name of \(what) has more than \(MarkupLimits.nameBytes) bytes.",
                place: place, isLimit: true)
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads the value of an attribute, between quotation marks.
    mutating func quoted(of name: String) throws(MarkupError) -> String {
        let place = place
        guard position < bytes.count else { throw unexpected("where the value of '\(name)' is") }
        let mark = bytes[position]
        guard mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else {
            throw unexpected("where the value of '\(name)' is; put it between quotation marks")
        }
        position += 1
        // XML: line breaks and tabs in a value become spaces (3.3.3), unless they are written by
        // number.
        let value = try characters(spaces: true) { $0 == mark || $0 == UInt8(ascii: "<") }
        guard position < bytes.count, bytes[position] == mark else {
            throw MarkupError(message: "the value of '\(name)' is not closed.", place: place)
        }
        position += 1
        return value
    }

    /// Reads the characters up to a byte that ends them, or to the end of the text.
    mutating func characters(
        spaces: Bool = false, until ends: (UInt8) -> Bool
    ) throws(MarkupError) -> String {
        var result: [UInt8] = []
        while position < bytes.count, !ends(bytes[position]) {
            let byte = bytes[position]
            if byte == UInt8(ascii: "&") {
                result += try reference()
                continue
            }
            // XML 2.11: a carriage return with a line feed is one line feed.
            let isHalfBreak =
                byte == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
            if !isHalfBreak { result.append(spaces && byte < 0x20 ? 0x20 : byte) }
            step()
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads a character that is written by its name or number.
    private mutating func reference() throws(MarkupError) -> [UInt8] {
        let place = place
        // The longest valid reference is &#x10FFFF;.
        let rest = bytes[(position + 1)...].prefix(10)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
            throw MarkupError(message: "'&' begins no character; write '&amp;'.", place: place)
        }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return Array("&".utf8)
        case "lt": return Array("<".utf8)
        case "gt": return Array(">".utf8)
        case "quot": return Array("\"".utf8)
        case "apos": return Array("'".utf8)
        default: break
        }
        guard name.hasPrefix("#"), let scalar = Self.scalar(name.dropFirst()) else {
            throw MarkupError(
                message: "'&\(name);' is not a known character.", place: place)
        }
        return Array(String(scalar).utf8)
    }

    private static func scalar(_ number: Substring) -> Unicode.Scalar? {
        let digits = number.hasPrefix("x") ? number.dropFirst() : number
        // A sign is not a digit.
        guard digits.allSatisfy(\.isHexDigit),
            let value = UInt32(digits, radix: number.hasPrefix("x") ? 16 : 10),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        let isControl = value < 0x20 && ![0x9, 0xA, 0xD].contains(value)
        return isControl || value == 0xFFFE || value == 0xFFFF ? nil : scalar
    }

    // MARK: - Advancing

    @discardableResult mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, Self.isSpace(bytes[position]) { step() }
        return position > start
    }

    /// Skips the expected bytes, which must not have a line feed; returns false if they do not
    /// follow.
    @discardableResult mutating func skip(_ expected: [UInt8]) -> Bool {
        guard bytes[position...].starts(with: expected) else { return false }
        position += expected.count
        return true
    }

    func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    /// Returns the next position of a text; nil if it does not occur.
    func find(_ text: String) -> Int? {
        let wanted = Array(text.utf8)
        var index = position
        while index + wanted.count <= bytes.count {
            if bytes[index...].starts(with: wanted) { return index }
            index += 1
        }
        return nil
    }

    mutating func advance(to end: Int) {
        while position < end { step() }
    }

    private mutating func step() {
        if bytes[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    // MARK: - Mistakes

    /// Checks that the text, which is UTF-8, has only characters that XML permits (2.2): no control
    /// characters and no noncharacters.
    func checkCharacters() throws(MarkupError) {
        for (index, byte) in bytes.enumerated() {
            let isControl = byte < 0x20 && !Self.isSpace(byte)
            let isNoCharacter =
                byte == 0xEF && bytes[index...].prefix(3).elementsEqual([0xEF, 0xBF, 0xBE])
                || byte == 0xEF && bytes[index...].prefix(3).elementsEqual([0xEF, 0xBF, 0xBF])
            guard isControl || isNoCharacter else { continue }
            var reader = self
            reader.advance(to: index)
            throw MarkupError(
                message: "a control character stands here; take it away.", place: reader.place)
        }
    }

    func unexpected(_ whereabouts: String) -> MarkupError {
        guard position < bytes.count else {
            return MarkupError(message: "the file ends \(whereabouts).", place: place)
        }
        let byte = bytes[position]
        let found = byte > 0x20 && byte < 0x7F ? "'\(Character(.init(byte)))'" : "a character"
        return MarkupError(message: "\(found) stands \(whereabouts).", place: place)
    }

    /// Returns an error for the first bytes that are not UTF-8.
    mutating func invalidText() -> MarkupError {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var valid = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            valid += UTF8.width(scalar)
        }
        advance(to: min(valid, bytes.count))
        return MarkupError(
            message: "the bytes here are no UTF-8; save the file as UTF-8.", place: place)
    }

    static func trimmed(_ text: String) -> String {
        let start = text.utf8.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }
}
