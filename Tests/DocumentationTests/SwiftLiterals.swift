/// A string literal of a Swift source: its text, with one word in place of each interpolation.
struct SwiftLiteral {
    var line: Int
    var text: String
    /// The literal takes several lines between triple quotes.
    var isBlock: Bool
}

/// Finds the string literals of a Swift source. Literals joined by `+` are one.
struct SwiftLiterals {
    /// Stands where a value is interpolated. A sentence counts it as one word.
    static let value = "X1"

    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var found: [SwiftLiteral] = []
    /// What lies between the last literal and here consists of white space and one `+`.
    private var joins = false

    static func all(in source: String) -> [SwiftLiteral] {
        var reader = SwiftLiterals(text: Array(source.utf8))
        reader.readCode(nested: false)
        return reader.found
    }

    private init(text: [UInt8]) { self.text = text }

    private func at(_ offset: Int) -> UInt8? {
        position + offset < text.count ? text[position + offset] : nil
    }

    private func starts(with word: [UInt8]) -> Bool {
        guard at(0) == word[0] else { return false }
        return text[position...].starts(with: word)
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < text.count {
            if text[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    /// Reads code to the end of the source or, nested, to the parenthesis that ends an
    /// interpolation.
    private mutating func readCode(nested: Bool) {
        var depth = 0
        while let byte = at(0) {
            if byte == UInt8(ascii: "/"), at(1) == byte {
                while let byte = at(0), byte != UInt8(ascii: "\n") { advance() }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                readLiteral(hashes: 0)
                continue
            case UInt8(ascii: "#"):
                var hashes = 1
                while at(hashes) == UInt8(ascii: "#") { hashes += 1 }
                if at(hashes) == UInt8(ascii: "\"") {
                    advance(hashes)
                    readLiteral(hashes: hashes)
                    continue
                }
                joins = false
            case UInt8(ascii: "("):
                depth += 1
                joins = false
            case UInt8(ascii: ")"):
                if nested, depth == 0 { return }
                depth -= 1
                joins = false
            case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "\n"): break
            default: joins = false
            }
            advance()
        }
    }

    private mutating func readLiteral(hashes: Int) {
        let start = line
        let joined = joins
        let isBlock = starts(with: Array("\"\"\"".utf8))
        advance(isBlock ? 3 : 1)
        let mark = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let end = [UInt8](repeating: UInt8(ascii: "\""), count: isBlock ? 3 : 1) + mark
        let escape = [UInt8(ascii: "\\")] + mark
        var bytes: [UInt8] = []
        while position < text.count, !starts(with: end) {
            if starts(with: escape + [UInt8(ascii: "(")]) {
                advance(escape.count + 1)
                joins = false
                readCode(nested: true)
                bytes += SwiftLiterals.value.utf8
                advance()
            } else if starts(with: escape + [UInt8(ascii: "n")]) {
                bytes.append(UInt8(ascii: "\n"))
                advance(escape.count + 1)
            } else if starts(with: escape) {
                advance(escape.count)
                if at(0) != UInt8(ascii: "\n") { bytes.append(text[position]) }
                advance()
            } else {
                bytes.append(text[position])
                advance()
            }
        }
        advance(end.count)
        let literal = String(decoding: bytes, as: UTF8.self)
        if joined, !found.isEmpty {
            found[found.count - 1].text += literal
        } else {
            found.append(SwiftLiteral(line: start, text: literal, isBlock: isBlock))
        }
        joins = true
    }
}
