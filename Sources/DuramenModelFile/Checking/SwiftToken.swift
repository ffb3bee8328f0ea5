/// A token of Swift source, as precise as the search for literals needs it.
struct SwiftToken {
    enum Kind: Equatable {
        case name(String)
        /// The text of a literal; nil if it is computed at run time.
        case string(String?)
        case sign(UInt8)
    }

    let kind: Kind
    let place: SourcePlace

    func isSign(_ sign: Character) -> Bool { kind == .sign(sign.asciiValue ?? 0) }

    var name: String? { if case .name(let name) = kind { name } else { nil } }
}

/// Splits Swift source into names, text literals and single signs. Comments and white space are
/// removed.
///
/// It does not know more of the language, reads the bytes once, and never fails. Everything else
/// becomes signs.
struct SwiftTokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    init(_ source: String) { bytes = Array(source.utf8) }

    mutating func tokens() -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        while let byte = peek() {
            let place = SourcePlace(line: line, column: position - lineStart + 1)
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
                while let next = peek(), next != UInt8(ascii: "\n") { advance() }
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                skipComment()
            } else if Self.beginsName(byte) {
                tokens.append(SwiftToken(kind: .name(name()), place: place))
            } else if let literal = literal() {
                tokens.append(SwiftToken(kind: .string(literal.text), place: place))
            } else {
                if !Self.isSpace(byte) {
                    tokens.append(SwiftToken(kind: .sign(byte), place: place))
                }
                advance()
            }
        }
        return tokens
    }

    // MARK: - Bytes

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func beginsName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private mutating func name() -> String {
        let start = position
        while let byte = peek(),
            Self.beginsName(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        {
            advance()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipComment() {
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                advance()
            } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                advance()
            }
            advance()
            if depth == 0 { return }
        }
    }

    // MARK: - Literals

    private struct Literal {
        /// Nil if the literal has interpolations, several lines, or escapes of characters by
        /// number, which key paths do not have.
        let text: String?
    }

    /// Returns the literal that begins here; nil if there is none.
    private mutating func literal() -> Literal? {
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        guard peek(hashes) == UInt8(ascii: "\"") else { return nil }
        let isLong =
            peek(hashes + 1) == UInt8(ascii: "\"") && peek(hashes + 2) == UInt8(ascii: "\"")
        for _ in 0..<(hashes + (isLong ? 3 : 1)) { advance() }
        var text: [UInt8] = []
        var isPlain = !isLong
        while let byte = peek() {
            if ends(hashes, isLong) {
                for _ in 0..<(hashes + (isLong ? 3 : 1)) { advance() }
                break
            }
            if byte == UInt8(ascii: "\n"), !isLong { break }
            guard byte == UInt8(ascii: "\\"), isEscape(hashes) else {
                text.append(byte)
                advance()
                continue
            }
            for _ in 0...hashes { advance() }
            switch peek() {
            case UInt8(ascii: "("):
                isPlain = false
                skipInterpolation()
                continue
            case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"):
                text.append(bytes[position])
            default: isPlain = false
            }
            if position < bytes.count { advance() }
        }
        return Literal(text: isPlain ? String(decoding: text, as: UTF8.self) : nil)
    }

    private func ends(_ hashes: Int, _ isLong: Bool) -> Bool {
        let quotes = isLong ? 3 : 1
        return (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
    }

    private mutating func skipInterpolation() {
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            // Literals within may have parentheses too.
            if byte == UInt8(ascii: "\""), literal() != nil { continue }
            advance()
            if depth == 0 { return }
        }
    }
}
