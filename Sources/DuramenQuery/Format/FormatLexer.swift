import Foundation

/// Splits a format string into tokens. Each byte is examined a bounded number of times.
///
/// ASCII characters are compared as bytes; only other characters are decoded.
struct FormatLexer {
    private let format: String
    private let bytes: [UInt8]
    private var place = 0
    // A dot followed by a digit continues a path after an operand, and begins a number elsewhere.
    private var isAfterOperand = false

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// Returns all tokens, followed by ``FormatToken/Kind/end``.
    static func tokens(_ format: String) throws(PredicateFormatError) -> [FormatToken] {
        var lexer = FormatLexer(format)
        var tokens: [FormatToken] = []
        tokens.reserveCapacity(lexer.bytes.count / 4 + 4)
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(PredicateFormatError) -> FormatToken {
        skipSpace()
        let start = place
        let kind = try kind()
        var token = FormatToken(kind: kind, start: start)
        isAfterOperand = true
        switch kind {
        case .word:
            token.reserved = ReservedWord(utf8: bytes[start..<place])
            token.operator = token.reserved.flatMap { FormatOperator($0) }
        case .sign(let sign):
            token.operator = FormatOperator(sign)
            isAfterOperand = sign == ")" || sign == "]"
        case .name, .variable, .text, .placeholder: break
        default: isAfterOperand = false
        }
        return token
    }

    private mutating func kind() throws(PredicateFormatError) -> FormatToken.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try text(byte))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: ".") where !isAfterOperand && isDigit(1): return try number()
        case UInt8(ascii: "%"): return try placeholder()
        case UInt8(ascii: "$"):
            place += 1
            return .variable(try identifier("'$' is followed by no name. Name the variable."))
        case UInt8(ascii: "@"):
            place += 1
            return .collectionOperator(
                try identifier("'@' is followed by no name. Write an operator such as @count."))
        case UInt8(ascii: "#"):
            place += 1
            if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                return .name(try name(quote))
            }
            return .name(try identifier("'#' is followed by no name. Write the name behind it."))
        default: return isAtIdentifier ? word() : try sign()
        }
    }

    // MARK: - Characters

    private func peek(_ distance: Int = 0) -> UInt8? {
        place + distance < bytes.count ? bytes[place + distance] : nil
    }

    private func isDigit(_ distance: Int) -> Bool {
        peek(distance).map(FormatText.isDigit) ?? false
    }

    /// Returns the character at this position; the format string is valid UTF-8.
    private func scalar() -> Unicode.Scalar {
        var decoder = UTF8()
        var rest = bytes[place...].makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&rest) { return scalar }
        return "\u{FFFD}"
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == 0x20 || byte &- 9 < 5 {
                place += 1
            } else if byte >= 0x80, scalar().properties.isWhitespace {
                place += UTF8.width(scalar())
            } else {
                return
            }
        }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: The problem and its remedy.
    ///   - offset: The position in bytes; nil for the present position.
    ///   - code: The kind of the error.
    private func error(
        _ message: String, at offset: Int? = nil,
        _ code: PredicateFormatError.Code = .invalidLiteral
    ) -> PredicateFormatError {
        PredicateFormatError(code, format: format, byteOffset: offset ?? place, message)
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    // MARK: - Names and signs

    private var isAtIdentifier: Bool {
        guard let byte = peek() else { return false }
        return byte < 0x80
            ? FormatText.isIdentifierStart(byte) : FormatText.isIdentifierStart(scalar())
    }

    private mutating func identifier(_ problem: String) throws(PredicateFormatError) -> String {
        if !isAtIdentifier { throw error(problem) }
        let start = place
        skipIdentifier()
        return string(start..<place)
    }

    private mutating func skipIdentifier() {
        while let byte = peek() {
            if byte < 0x80 {
                if !FormatText.isIdentifierPart(byte) { return }
                place += 1
            } else {
                let scalar = scalar()
                if !FormatText.isIdentifierPart(scalar) { return }
                place += UTF8.width(scalar)
            }
        }
    }

    private var isAtColon: Bool {
        peek() == UInt8(ascii: ":") && peek(1) != UInt8(ascii: "=")
    }

    private mutating func word() -> FormatToken.Kind {
        let start = place
        skipIdentifier()
        if !isAtColon { return .word(string(start..<place)) }
        // `add:to:` and similar names.
        while isAtColon {
            place += 1
            if isAtIdentifier { skipIdentifier() }
        }
        return .selector(string(start..<place))
    }

    private mutating func sign() throws(PredicateFormatError) -> FormatToken.Kind {
        let first = bytes[place]
        if let second = peek(1), let pair = FormatSign(pair: first, second) {
            place += 2
            return .sign(pair)
        }
        guard FormatSign.isSingle(first) else {
            throw error(
                "'\(scalar())' means nothing here. Put text between quotes, and names with such "
                    + "characters as #\"…\".", at: place, .syntax)
        }
        place += 1
        return .sign(FormatSign(first))
    }

    private mutating func placeholder() throws(PredicateFormatError) -> FormatToken.Kind {
        let start = place
        place += 1
        while let byte = peek(), "hlqLzjt".utf8.contains(byte) { place += 1 }
        guard let last = peek(), "@KcCdDiIoOuUxXeEfFgGaAs".utf8.contains(last),
            place == start + 1 || last != UInt8(ascii: "@") && last != UInt8(ascii: "K")
        else {
            throw error(
                "'%' begins no placeholder. Write %@ for a value, %K for a key path, %d, %f and so on.",
                at: start)
        }
        place += 1
        return .placeholder(
            FormatPlaceholder(conversion: last, letters: string((start + 1)..<place)))
    }

    // MARK: - Text

    private mutating func text(_ quote: UInt8) throws(PredicateFormatError) -> String {
        let start = place
        place += 1
        var text: [UInt8] = []
        // The start of the bytes to copy next.
        var first = place
        while let byte = peek() {
            if byte == quote {
                defer { place += 1 }
                if text.isEmpty { return string(first..<place) }
                return String(decoding: text + bytes[first..<place], as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                text += bytes[first..<place]
                text += UTF8.encode(try escape()) ?? .init()
                first = place
            } else {
                place += 1
            }
        }
        throw error(
            "The text has no end. Close it with \(Character(Unicode.Scalar(quote))).", at: start)
    }

    /// Reads a name between quotes, which must be a possible name of a property.
    private mutating func name(_ quote: UInt8) throws(PredicateFormatError) -> String {
        let start = place
        let name = try text(quote)
        if name.isEmpty || name.utf8.contains(0) {
            throw error("No property has such a name. Correct it.", at: start)
        }
        return name
    }

    private mutating func escape() throws(PredicateFormatError) -> Unicode.Scalar {
        let start = place
        place += 1
        guard let byte = peek() else {
            throw error("A backslash ends the text. Write two for one.", at: start)
        }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            return try code(radix: 8, digits: 3, from: start)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            place += 1
            return try code(radix: 16, digits: 2, from: start)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            place += 1
            return try code(radix: 16, digits: 4, from: start)
        default: break
        }
        let scalar = scalar()
        place += UTF8.width(scalar)
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "a": return "\u{7}"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "v": return "\u{B}"
        default: return scalar
        }
    }

    private mutating func code(
        radix: Int, digits: Int, from start: Int
    ) throws(PredicateFormatError) -> Unicode.Scalar {
        let end = place + digits
        // The radix initializer would accept a sign before the digits.
        guard end <= bytes.count, bytes[place..<end].allSatisfy(FormatText.isHexDigit),
            let value = UInt32(string(place..<end), radix: radix),
            let scalar = Unicode.Scalar(value)
        else {
            throw error(
                "The escape needs \(digits) digits of a character. Write \\n, \\x41, \\u00e9 or \\101.",
                at: start)
        }
        place = end
        return scalar
    }

    // MARK: - Numbers

    private mutating func number() throws(PredicateFormatError) -> FormatToken.Kind {
        let start = place
        let kind: FormatToken.Kind
        if peek() == UInt8(ascii: "0"), let prefixed = try prefixed(start) {
            kind = prefixed
        } else {
            kind = try decimal(start)
        }
        if let byte = peek(), byte >= 0x80 || FormatText.isIdentifierPart(byte),
            FormatText.isIdentifierPart(scalar())
        {
            throw error("The number goes on with '\(scalar())'. Leave a space.", at: start)
        }
        return kind
    }

    /// Reads a number with `0x`, `0o` or `0b`.
    private mutating func prefixed(_ start: Int) throws(PredicateFormatError) -> FormatToken.Kind? {
        let radix: Int
        switch peek(1) {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): radix = 16
        case UInt8(ascii: "o"), UInt8(ascii: "O"): radix = 8
        case UInt8(ascii: "b"), UInt8(ascii: "B"): radix = 2
        default: return nil
        }
        place += 2
        let digits = place
        while let byte = peek(), FormatText.isHexDigit(byte) { place += 1 }
        guard let value = UInt64(string(digits..<place), radix: radix) else {
            throw error(
                "The number has no digits, others than base \(radix) has, or more than 64 bits. "
                    + "Correct it.", at: start)
        }
        skipSuffix("uUlL")
        return .integer(value)
    }

    private mutating func decimal(_ start: Int) throws(PredicateFormatError) -> FormatToken.Kind {
        skipDigits()
        var isWhole = true
        if peek() == UInt8(ascii: "."), isDigit(1) {
            isWhole = false
            place += 1
            skipDigits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            let signed = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") ? 2 : 1
            if isDigit(signed) {
                isWhole = false
                place += signed
                skipDigits()
            }
        }
        let text = string(start..<place)
        if isWhole {
            skipSuffix("uUlL")
            if let value = UInt64(text) { return .integer(value) }
            guard text.utf8.count <= 38, let value = Decimal(string: text) else {
                throw error(
                    "The number has more digits than a decimal holds. Write it with an exponent.",
                    at: start)
            }
            return .decimal(value)
        }
        skipSuffix("fFlL")
        guard let value = Double(text) else { throw error("This is not a number.", at: start) }
        return .double(value)
    }

    private mutating func skipDigits() { while isDigit(0) { place += 1 } }

    private mutating func skipSuffix(_ letters: String) {
        while let byte = peek(), letters.utf8.contains(byte) { place += 1 }
    }
}
