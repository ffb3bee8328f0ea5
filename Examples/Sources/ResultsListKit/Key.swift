/// A key that somebody pressed.
public enum Key: Sendable, Hashable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt
    case character(Character)
}

/// Makes keys of the bytes that a terminal sends.
public struct KeyDecoder: Sendable {
    private static let sequences: [(bytes: [UInt8], key: Key)] = [
        ([0x1B, 0x5B, 0x41], .up), ([0x1B, 0x5B, 0x42], .down),
        ([0x1B, 0x5B, 0x35, 0x7E], .pageUp), ([0x1B, 0x5B, 0x36, 0x7E], .pageDown),
        ([0x1B, 0x5B, 0x48], .home), ([0x1B, 0x5B, 0x46], .end),
        ([0x1B, 0x4F, 0x41], .up), ([0x1B, 0x4F, 0x42], .down),
    ]

    public init() {}

    /// The keys of one read. A terminal sends the bytes of a key together.
    public func keys(in bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let first = rest.first {
            if let known = Self.sequences.first(where: { rest.starts(with: $0.bytes) }) {
                keys.append(known.key)
                rest = rest.dropFirst(known.bytes.count)
                continue
            }
            switch first {
            case 0x03, 0x04: keys.append(.interrupt)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x7F, 0x08: keys.append(.backspace)
            case 0x1B where rest.count > 1 && rest[rest.startIndex + 1] == 0x5B:
                // A key that nobody uses here, up to its last byte.
                rest = rest.dropFirst(2).drop { !(0x40...0x7E).contains($0) }
            case 0x1B: keys.append(.escape)
            case 0..<0x20: break
            default:
                let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
                let text = String(decoding: rest.prefix(length), as: UTF8.self)
                keys += text.map { .character($0) }
                rest = rest.dropFirst(length - 1)
            }
            rest = rest.dropFirst()
        }
        return keys
    }
}
