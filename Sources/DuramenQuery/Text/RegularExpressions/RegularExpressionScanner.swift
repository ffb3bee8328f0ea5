/// Splits a pattern into tokens. It resolves quotes and the escapes of single scalars, and removes
/// comments.
struct RegularExpressionScanner {
    enum Token: Equatable {
        case end
        /// A scalar that may be syntax.
        case plain(Unicode.Scalar)
        /// A literal scalar.
        case quoted(Unicode.Scalar)
        /// The scalar after a backslash that gives it another meaning.
        case escape(Unicode.Scalar)
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var isInQuote = false
    /// The start of the last token.
    private(set) var offset = 0
    /// The flag x: white space and `#` comments are removed.
    var isFreeSpaced = false
    /// Whether comments in parentheses are literals, as in classes.
    var isInClass = false

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    private func ahead(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    /// Returns the next token without consuming it.
    func peek() throws(RegularExpressionError) -> Token {
        var copy = self
        return try copy.next()
    }

    /// Consumes the next token if it is this plain scalar.
    mutating func skip(_ scalar: Unicode.Scalar) throws(RegularExpressionError) -> Bool {
        var copy = self
        guard try copy.next() == .plain(scalar) else { return false }
        self = copy
        return true
    }

    mutating func next() throws(RegularExpressionError) -> Token {
        while true {
            if !isInQuote { try skipComments() }
            offset = position
            guard let scalar = ahead() else { return .end }
            position += 1
            if isInQuote {
                guard scalar == "\\", ahead() == "E" else { return .quoted(scalar) }
                position += 1
                isInQuote = false
            } else if scalar != "\\" {
                return .plain(scalar)
            } else if ahead() == "Q" {
                position += 1
                isInQuote = true
            } else {
                return try escape()
            }
        }
    }

    /// Reads up to a closing brace: the name of a property.
    mutating func braced() -> String? {
        guard ahead() == "{", let end = scalars[position...].firstIndex(of: "}") else { return nil }
        defer { position = end + 1 }
        return Self.text(scalars[(position + 1)..<end])
    }

    /// Reads `:name:]` if it follows: a POSIX class, whose bracket is already consumed.
    mutating func posixName() -> String? {
        guard ahead() == ":" else { return nil }
        let rest = scalars[(position + 1)...]
        guard let end = rest.firstIndex(where: { ":\\]".unicodeScalars.contains($0) }),
            end > rest.startIndex, scalars[end...].starts(with: ":]".unicodeScalars)
        else { return nil }
        position = end + 2
        return Self.text(rest[..<end])
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private mutating func skipComments() throws(RegularExpressionError) {
        while let scalar = ahead() {
            if isFreeSpaced, scalar.properties.isPatternWhitespace {
                position += 1
            } else if isFreeSpaced, scalar == "#" {
                while let scalar = ahead(), !"\n\r\u{85}\u{2028}".unicodeScalars.contains(scalar) {
                    position += 1
                }
            } else if !isInClass, scalar == "(", ahead(1) == "?", ahead(2) == "#" {
                guard let end = scalars[position...].firstIndex(of: ")") else {
                    throw RegularExpressionError(
                        .invalidPattern, at: position, "The comment is not closed. Add ')'.")
                }
                position = end + 1
            } else {
                return
            }
        }
    }

    // MARK: - Escapes

    /// Reads the token after a backslash.
    private mutating func escape() throws(RegularExpressionError) -> Token {
        guard let scalar = ahead() else {
            throw RegularExpressionError(
                .invalidPattern, at: offset,
                "The pattern ends with a backslash. Write '\\\\' for a backslash.")
        }
        position += 1
        switch scalar {
        case "a": return .quoted("\u{7}")
        case "e": return .quoted("\u{1B}")
        case "f": return .quoted("\u{C}")
        case "n": return .quoted("\n")
        case "r": return .quoted("\r")
        case "t": return .quoted("\t")
        case "c":
            guard let control = ahead() else { throw badEscape() }
            position += 1
            return .quoted(Unicode.Scalar(UInt8(control.value & 0x1F)))
        case "0":
            return .quoted(try self.scalar(try digits(1...3, radix: 8, atMost: 0xFF)))
        case "x" where ahead() == "{":
            position += 1
            let value = try digits(1...8, radix: 16)
            guard ahead() == "}" else { throw badEscape() }
            position += 1
            return .quoted(try self.scalar(value))
        case "x": return .quoted(try self.scalar(try digits(1...2, radix: 16)))
        case "u": return .quoted(try self.scalar(try utf16Unit()))
        case "U": return .quoted(try self.scalar(try digits(8...8, radix: 16)))
        default: return .escape(scalar)
        }
    }

    /// Reads four digits, or a surrogate pair as two times four.
    private mutating func utf16Unit() throws(RegularExpressionError) -> UInt32 {
        let unit = try digits(4...4, radix: 16)
        guard unit & 0xFC00 == 0xD800, ahead() == "\\", ahead(1) == "u" else { return unit }
        position += 2
        let low = try digits(4...4, radix: 16)
        guard low & 0xFC00 == 0xDC00 else { throw badEscape() }
        return 0x1_0000 + (unit & 0x3FF) << 10 + low & 0x3FF
    }

    private mutating func digits(
        _ counts: ClosedRange<Int>, radix: UInt32, atMost limit: UInt32 = .max
    ) throws(RegularExpressionError) -> UInt32 {
        var value: UInt32 = 0
        var count = 0
        while count < counts.upperBound, let scalar = ahead(), scalar.isASCII,
            let digit = Character(scalar).hexDigitValue, digit < radix,
            // At most eight digits of four bits, so that no bit is lost.
            value &* radix &+ UInt32(digit) <= limit
        {
            value = value &* radix &+ UInt32(digit)
            count += 1
            position += 1
        }
        guard counts.contains(count) else { throw badEscape() }
        return value
    }

    private func scalar(_ value: UInt32) throws(RegularExpressionError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw badEscape() }
        return scalar
    }

    private func badEscape() -> RegularExpressionError {
        RegularExpressionError(
            .invalidPattern, at: offset,
            "The escape names no Unicode scalar. Write '\\x{h…}' with its hexadecimal value.")
    }
}
