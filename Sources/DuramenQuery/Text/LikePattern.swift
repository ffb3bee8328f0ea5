/// A compiled pattern of ``PredicateComparison/Operator/like``.
///
/// The pattern is split at its stars. Each part has a fixed number of characters and is searched
/// for once, leftmost. The text before a match is never tried again, so nothing backtracks over a
/// star. Time is linear in the text for parts without `?`, and at most text times part with them.
struct LikePattern: Sendable {
    private enum Piece: Sendable {
        case bytes([UInt8])
        case anyScalars(Int)
    }

    // The parts between stars; a single part means that there are no stars.
    private let parts: [[Piece]]

    init(_ pattern: UnsafeRawBufferPointer) {
        var parts: [[Piece]] = [[]]
        var literal: [UInt8] = []
        func endLiteral() {
            if !literal.isEmpty { parts[parts.count - 1].append(.bytes(literal)) }
            literal = []
        }
        var isEscaped = false
        for byte in pattern {
            switch byte {
            case UInt8(ascii: "\\") where !isEscaped:
                isEscaped = true
                continue
            case UInt8(ascii: "*") where !isEscaped:
                endLiteral()
                parts.append([])
            case UInt8(ascii: "?") where !isEscaped:
                endLiteral()
                if case .anyScalars(let count)? = parts[parts.count - 1].last {
                    parts[parts.count - 1][parts[parts.count - 1].count - 1] = .anyScalars(
                        count + 1)
                } else {
                    parts[parts.count - 1].append(.anyScalars(1))
                }
            default: literal.append(byte)
            }
            isEscaped = false
        }
        // A backslash at the end is literal.
        if isEscaped { literal.append(UInt8(ascii: "\\")) }
        endLiteral()
        self.parts = parts
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard var place = Self.end(of: parts[0], from: 0, in: text) else { return false }
        if parts.count == 1 { return place == text.count }
        for part in parts[1..<(parts.count - 1)] {
            guard let end = Self.endOfFirst(part, from: place, in: text) else { return false }
            place = end
        }
        return Self.endsWith(parts[parts.count - 1], noEarlierThan: place, text)
    }

    /// Returns the end of `part` if it begins at `start`; nil if it does not.
    private static func end(
        of part: [Piece], from start: Int, in text: UnsafeRawBufferPointer
    ) -> Int? {
        var place = start
        for piece in part {
            switch piece {
            case .bytes(let bytes):
                guard bytes.withUnsafeBytes({ ByteSearch.stands($0, at: place, in: text) }) else {
                    return nil
                }
                place += bytes.count
            case .anyScalars(let count):
                for _ in 0..<count {
                    guard place < text.count else { return nil }
                    place = scalar(after: place, text)
                }
            }
        }
        return place
    }

    private static func endOfFirst(
        _ part: [Piece], from start: Int, in text: UnsafeRawBufferPointer
    ) -> Int? {
        var place = start
        while true {
            if case .bytes(let bytes)? = part.first {
                guard
                    let next = bytes.withUnsafeBytes({ ByteSearch.first($0, in: text, from: place) }
                    )
                else { return nil }
                place = next
            }
            if let end = end(of: part, from: place, in: text) { return end }
            guard place < text.count else { return nil }
            place = scalar(after: place, text)
        }
    }

    private static func endsWith(
        _ part: [Piece], noEarlierThan start: Int, _ text: UnsafeRawBufferPointer
    ) -> Bool {
        var place = text.count
        for piece in part.reversed() {
            switch piece {
            case .bytes(let bytes):
                place -= bytes.count
                guard place >= start,
                    bytes.withUnsafeBytes({ ByteSearch.stands($0, at: place, in: text) })
                else { return false }
            case .anyScalars(let count):
                for _ in 0..<count {
                    guard place > start else { return false }
                    place -= 1
                    while place > start, text[place] & 0xC0 == 0x80 { place -= 1 }
                }
            }
        }
        return place >= start
    }

    private static func scalar(after place: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var next = place + 1
        while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
