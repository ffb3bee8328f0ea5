import Foundation

/// Reads one JSON value piece by piece, without building a tree.
///
/// It checks what it reads, and skips what nobody asks for. Nothing recurses here, so nested values
/// cannot overflow the stack.
package struct JSONReader {
    /// The kind of a value, by its first byte.
    package enum Kind {
        case object, array, string, number, boolean, null
    }

    /// The most values within each other.
    static let maximumDepth = 512

    package let bytes: [UInt8]
    package private(set) var position: Int
    private let end: Int

    /// Reads a range of bytes.
    package init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    // MARK: - Values

    /// The kind of the value that comes next.
    package mutating func kind() throws(JSONMistake) -> Kind {
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw mistake("a value must begin here")
        }
    }

    /// Reads `null`.
    package mutating func readNull() throws(JSONMistake) { try read("null") }

    /// Reads `true` or `false`.
    package mutating func readBoolean() throws(JSONMistake) -> Bool {
        let value = try peek() == UInt8(ascii: "t")
        try read(value ? "true" : "false")
        return value
    }

    /// Reads a number as it is written, so that no digit is lost.
    package mutating func readNumber() throws(JSONMistake) -> Range<Int> {
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard skipDigits() > 0 else { throw mistake("a number needs digits") }
        if bytes[first] == UInt8(ascii: "0"), position - first > 1 {
            throw mistake("a number must not begin with 0")
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() > 0 else { throw mistake("digits must follow the point") }
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
                position += 1
            }
            guard skipDigits() > 0 else { throw mistake("an exponent needs digits") }
        }
        return start..<position
    }

    /// Reads a string.
    package mutating func readString() throws(JSONMistake) -> String {
        let content = try readRawString()
        return try string(content)
    }

    /// Reads a string without decoding it.
    ///
    /// - Returns: The bytes between the quotes, and whether there are escapes among them.
    package mutating func readRawString() throws(JSONMistake) -> (
        range: Range<Int>, hasEscapes: Bool
    ) {
        guard try peek() == UInt8(ascii: "\"") else { throw mistake("a string must begin here") }
        position += 1
        let start = position
        var hasEscapes = false
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return (start..<position - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 2
            case 0..<0x20: throw mistake("a control character must be escaped")
            default: position += 1
            }
        }
        position = end
        throw mistake("a string has no end")
    }

    /// Decodes the bytes between quotes.
    package func string(
        _ content: (range: Range<Int>, hasEscapes: Bool)
    ) throws(JSONMistake) -> String {
        if !content.hasEscapes {
            guard let text = String(validating: bytes[content.range], as: UTF8.self) else {
                throw JSONMistake(
                    offset: content.range.lowerBound, problem: "a string is not UTF-8")
            }
            return text
        }
        return try JSONEscapes.decode(bytes, content.range)
    }

    // MARK: - Containers

    /// Enters an object or an array.
    package mutating func enter() { position += 1 }

    /// Goes on to the next member of an object.
    ///
    /// - Parameter isFirst: True at the beginning; false afterwards.
    /// - Returns: The bytes of the key; nil at the end of the object.
    package mutating func nextKey(
        _ isFirst: inout Bool
    ) throws(JSONMistake) -> (range: Range<Int>, hasEscapes: Bool)? {
        guard try isFollowed(by: UInt8(ascii: "}"), &isFirst) else { return nil }
        let key = try readRawString()
        skipSpace()
        guard try peek() == UInt8(ascii: ":") else { throw mistake("':' must follow a key") }
        position += 1
        return key
    }

    /// Goes on to the next element of an array.
    ///
    /// - Parameter isFirst: True at the beginning; false afterwards.
    /// - Returns: False at the end of the array.
    package mutating func nextElement(_ isFirst: inout Bool) throws(JSONMistake) -> Bool {
        try isFollowed(by: UInt8(ascii: "]"), &isFirst)
    }

    /// Skips a value of any kind. Its form is checked, but not the escapes and the UTF-8 of its
    /// strings.
    ///
    /// - Returns: Its bytes.
    @discardableResult
    package mutating func skip() throws(JSONMistake) -> Range<Int> {
        _ = try kind()
        let start = position
        // By container that is open: whether it is an object, and whether nothing came yet.
        var open: [(isObject: Bool, isFirst: Bool)] = []
        repeat {
            if let last = open.last {
                var isFirst = last.isFirst
                let goesOn =
                    last.isObject ? try nextKey(&isFirst) != nil : try nextElement(&isFirst)
                guard goesOn else {
                    open.removeLast()
                    continue
                }
                open[open.count - 1].isFirst = false
            }
            switch try kind() {
            case .object, .array:
                guard open.count < Self.maximumDepth else {
                    throw mistake("there are more than \(Self.maximumDepth) values in each other")
                }
                open.append((bytes[position] == UInt8(ascii: "{"), true))
                enter()
            case .string: _ = try readRawString()
            case .number: _ = try readNumber()
            case .boolean: _ = try readBoolean()
            case .null: try readNull()
            }
        } while !open.isEmpty
        return start..<position
    }

    /// Requires that nothing follows but space.
    package mutating func finish() throws(JSONMistake) {
        skipSpace()
        if position < end { throw mistake("nothing may follow the value") }
    }

    // MARK: - Bytes

    func mistake(_ problem: String) -> JSONMistake {
        JSONMistake(offset: position, problem: problem)
    }

    private func peek() throws(JSONMistake) -> UInt8 {
        guard position < end else { throw mistake("the value is not complete") }
        return bytes[position]
    }

    private mutating func isFollowed(
        by close: UInt8, _ isFirst: inout Bool
    ) throws(JSONMistake) -> Bool {
        skipSpace()
        let next = try peek()
        if next == close {
            position += 1
            return false
        }
        if !isFirst {
            guard next == UInt8(ascii: ",") else { throw mistake("',' must stand between values") }
            position += 1
            skipSpace()
        }
        isFirst = false
        return true
    }

    private mutating func read(_ literal: StaticString) throws(JSONMistake) {
        for byte in "\(literal)".utf8 {
            guard position < end, bytes[position] == byte else {
                throw mistake("'\(literal)' must stand here")
            }
            position += 1
        }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < end, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position - start
    }

    private mutating func skipSpace() {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}
