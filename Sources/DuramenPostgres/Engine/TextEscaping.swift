import Foundation

/// The form of text in columns: the server's `text` refuses a NUL, so it is written as two bytes.
///
/// 0x00 becomes 01 01 and 0x01 becomes 01 02. Equality, order by bytes and prefixes stay as they
/// were, since both pairs begin with 01 and 01 01 < 01 02 < 02.
enum TextEscaping {
    /// Whether the text has a byte that must be escaped.
    static func needsEscaping(_ bytes: UnsafeRawBufferPointer) -> Bool {
        has(0, bytes) || has(1, bytes)
    }

    /// Whether the stored text has an escaped byte, so that it must be unescaped.
    static func isEscaped(_ bytes: UnsafeRawBufferPointer) -> Bool { has(1, bytes) }

    // The C library looks at many bytes at a time.
    @inline(__always)
    private static func has(_ byte: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.baseAddress.map { memchr($0, byte, bytes.count) != nil } ?? false
    }

    /// Returns the form in which a text is stored.
    static func escape(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard needsEscaping(bytes) else { return Array(bytes) }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 8)
        for byte in bytes {
            if byte < 2 {
                escaped.append(1)
                escaped.append(byte + 1)
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }

    /// Returns the text that was stored; nil if it cannot be what ``escape(_:)`` made.
    static func unescape(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard isEscaped(bytes) else { return Array(bytes) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var isPending = false
        for byte in bytes {
            if isPending {
                guard byte == 1 || byte == 2 else { return nil }
                text.append(byte - 1)
                isPending = false
            } else if byte == 1 {
                isPending = true
            } else {
                text.append(byte)
            }
        }
        return isPending ? nil : text
    }
}
