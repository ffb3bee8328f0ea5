/// Decodes strings that have escapes.
enum JSONEscapes {
    static func decode(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONMistake) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            let start = position - 1
            guard position < range.upperBound else { throw unknown(start) }
            let kind = bytes[position]
            position += 1
            if let plain = simple[kind] {
                result.append(plain)
            } else if kind == UInt8(ascii: "u") {
                let scalar = try scalar(bytes, &position, range.upperBound)
                result.append(contentsOf: String(scalar).utf8)
            } else {
                throw unknown(start)
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else {
            throw JSONMistake(offset: range.lowerBound, problem: "a string is not UTF-8")
        }
        return text
    }

    private static let simple: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private static func scalar(
        _ bytes: [UInt8], _ position: inout Int, _ end: Int
    ) throws(JSONMistake) -> Unicode.Scalar {
        let start = position
        let first = try unit(bytes, &position, end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Two halves make one character outside the basic plane.
        guard (0xD800..<0xDC00).contains(first), position + 1 < end,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw JSONMistake(offset: start, problem: "half of a character stands alone") }
        position += 2
        let second = try unit(bytes, &position, end)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else {
            throw JSONMistake(offset: start, problem: "half of a character stands alone")
        }
        return scalar
    }

    private static func unit(
        _ bytes: [UInt8], _ position: inout Int, _ end: Int
    ) throws(JSONMistake) -> UInt16 {
        guard position + 4 <= end else { throw unknown(position) }
        var value: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unknown(position)
            }
            value = value << 4 | UInt16(digit)
        }
        position += 4
        return value
    }

    private static func unknown(_ offset: Int) -> JSONMistake {
        JSONMistake(offset: offset, problem: "a string has an escape that JSON does not have")
    }
}
