import Foundation

/// Cuts a format string into words. Each scalar is looked at a bounded number of times.
struct FormatLexer {
    private let format: String
    private let scalars: [Unicode.Scalar]
    private var place = 0
    // A dot with a digit behind it goes on with a path after an operand, and begins a number elsewhere.
    private var isAfterOperand = false

    init(_ format: String) {
        self.format = format
        scalars = Array(format.unicodeScalars)
    }

    private static let signs = [
        "&&", "||", "!=", "==", "<=", ">=", "=<", "=>", "<>", "<<", ">>", "**", ":=",
    ]
    private static let single = Set("!<>=()[]{},.+-*/&|^~".unicodeScalars)

    /// All words, with ``FormatToken/Kind/end`` behind them.
    static func tokens(_ format: String) throws(PredicateFormatError) -> [FormatToken] {
        var lexer = FormatLexer(format)
        var tokens: [FormatToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(PredicateFormatError) -> FormatToken {
        while let scalar = peek(), scalar.properties.isWhitespace { place += 1 }
        let start = place
        let kind = try kind()
        switch kind {
        case .word, .name, .variable, .text, .placeholder, .sign(")"), .sign("]"):
            isAfterOperand = true
        default: isAfterOperand = false
        }
        return FormatToken(kind: kind, start: start, end: place)
    }

    private mutating func kind() throws(PredicateFormatError) -> FormatToken.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "\"", "'": return .text(try text(scalar))
        case "0"..."9": return try number()
        case "." where !isAfterOperand && peek(1).map(Self.isDigit) == true: return try number()
        case "%": return try placeholder()
        case "$":
            place += 1
            return .variable(try identifier("'$' is followed by no name. Name the variable."))
        case "@":
            place += 1
            return .collectionOperator(
                try identifier("'@' is followed by no name. Write an operator such as @count."))
        case "#":
            place += 1
            if let quote = peek(), quote == "\"" || quote == "'" { return .name(try name(quote)) }
            return .name(try identifier("'#' is followed by no name. Write the name behind it."))
        default: break
        }
        if ReservedWords.isIdentifierStart(scalar) { return word() }
        return try sign()
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        place + distance < scalars.count ? scalars[place + distance] : nil
    }

    private func error(_ message: String, at offset: Int? = nil) -> PredicateFormatError {
        PredicateFormatError(.invalidLiteral, format: format, offset: offset ?? place, message)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private func string(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    // MARK: - Names and signs

    private mutating func identifier(_ problem: String) throws(PredicateFormatError) -> String {
        guard let first = peek(), ReservedWords.isIdentifierStart(first) else {
            throw error(problem)
        }
        return identifier()
    }

    private mutating func identifier() -> String {
        let start = place
        while let scalar = peek(), ReservedWords.isIdentifierPart(scalar) { place += 1 }
        return string(start..<place)
    }

    private mutating func word() -> FormatToken.Kind {
        let start = place
        let first = identifier()
        guard peek() == ":", peek(1) != "=" else { return .word(first) }
        // add:to: and the like.
        while peek() == ":", peek(1) != "=" {
            place += 1
            if let scalar = peek(), ReservedWords.isIdentifierStart(scalar) { _ = identifier() }
        }
        return .selector(string(start..<place))
    }

    private mutating func sign() throws(PredicateFormatError) -> FormatToken.Kind {
        if place + 1 < scalars.count {
            let pair = string(place..<(place + 2))
            if Self.signs.contains(pair) {
                place += 2
                return .sign(pair)
            }
        }
        let scalar = scalars[place]
        guard Self.single.contains(scalar) else {
            throw PredicateFormatError(
                .syntax, format: format, offset: place,
                "'\(scalar)' means nothing here. Put text between quotes, and names with such "
                    + "characters as #\"…\".")
        }
        place += 1
        return .sign(String(Character(scalar)))
    }

    private mutating func placeholder() throws(PredicateFormatError) -> FormatToken.Kind {
        let start = place
        place += 1
        while let scalar = peek(), "hlqLzjt".unicodeScalars.contains(scalar) { place += 1 }
        guard let last = peek(), "@KcCdDiIoOuUxXeEfFgGaAs".unicodeScalars.contains(last),
            place == start + 1 || last != "@" && last != "K"
        else {
            throw error(
                "'%' begins no placeholder. Write %@ for a value, %K for a key path, %d, %f and so on.",
                at: start)
        }
        place += 1
        return .placeholder(string((start + 1)..<place))
    }

    // MARK: - Text

    private mutating func text(_ quote: Unicode.Scalar) throws(PredicateFormatError) -> String {
        let start = place
        place += 1
        var view = String.UnicodeScalarView()
        while let scalar = peek() {
            place += 1
            if scalar == quote { return String(view) }
            view.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error("The text has no end. Close it with \(quote).", at: start)
    }

    /// A name between quotes, which may not have what no name of a property has.
    private mutating func name(_ quote: Unicode.Scalar) throws(PredicateFormatError) -> String {
        let start = place
        let name = try text(quote)
        if name.isEmpty || name.unicodeScalars.contains("\0") {
            throw error("No property has such a name. Correct it.", at: start)
        }
        return name
    }

    private mutating func escape() throws(PredicateFormatError) -> Unicode.Scalar {
        let start = place - 1
        guard let scalar = peek() else {
            throw error("A backslash ends the text. Write two for one.", at: start)
        }
        switch scalar {
        case "0"..."7": return try code(radix: 8, digits: 3, from: start)
        case "x", "X":
            place += 1
            return try code(radix: 16, digits: 2, from: start)
        case "u", "U":
            place += 1
            return try code(radix: 16, digits: 4, from: start)
        default: break
        }
        place += 1
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
        guard end <= scalars.count, let value = UInt32(string(place..<end), radix: radix),
            scalars[place] != "+", let scalar = Unicode.Scalar(value)
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
        if peek() == "0", let prefixed = try prefixed(start) {
            kind = prefixed
        } else {
            kind = try decimal(start)
        }
        if let scalar = peek(), ReservedWords.isIdentifierPart(scalar) {
            throw error("The number goes on with '\(scalar)'. Leave a space.", at: start)
        }
        return kind
    }

    /// A number with `0x`, `0o` or `0b`.
    private mutating func prefixed(_ start: Int) throws(PredicateFormatError) -> FormatToken.Kind? {
        let radix: Int
        switch peek(1) {
        case "x", "X": radix = 16
        case "o", "O": radix = 8
        case "b", "B": radix = 2
        default: return nil
        }
        place += 2
        let digits = place
        while let scalar = peek(), Character(scalar).isHexDigit, scalar.isASCII { place += 1 }
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
        if peek() == ".", peek(1).map(Self.isDigit) == true {
            isWhole = false
            place += 1
            skipDigits()
        }
        if let scalar = peek(), scalar == "e" || scalar == "E" {
            let signed = peek(1) == "-" || peek(1) == "+" ? 2 : 1
            if peek(signed).map(Self.isDigit) == true {
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
        guard let value = Double(text) else { throw error("This is no number.", at: start) }
        return .double(value)
    }

    private mutating func skipDigits() {
        while let scalar = peek(), Self.isDigit(scalar) { place += 1 }
    }

    private mutating func skipSuffix(_ letters: String) {
        while let scalar = peek(), letters.unicodeScalars.contains(scalar) { place += 1 }
    }
}
