/// Text in the form that stores keep: UTF-8 bytes, compared byte by byte.
///
/// Swift's `String` compares by canonical equivalence. So a change from a composed to a decomposed
/// "é" would look like no change, and its order differs from that of every engine. Attribute text
/// therefore uses `StoredText`, whose order is that of the Unicode scalars.
public struct StoredText: Sendable, Codable {
    /// The text as a Swift string, with the same bytes.
    public let string: String

    /// Creates stored text. The string is made contiguous once, so that comparisons read memory
    /// directly.
    public init(_ string: String) {
        var native = string
        native.makeContiguousUTF8()
        self.string = native
    }

    /// Decodes UTF-8 bytes; malformed sequences become U+FFFD.
    public init(utf8 bytes: UnsafeRawBufferPointer) {
        string = String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with the UTF-8 bytes, without copying them.
    @inlinable public func withUTF8<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        var outcome: Result<R, E>?
        var copy = string
        copy.withUTF8 { buffer in
            do throws(E) {
                outcome = .success(try body(UnsafeRawBufferPointer(buffer)))
            } catch {
                outcome = .failure(error)
            }
        }
        // `withUTF8` calls its closure exactly once before it returns.
        return try outcome!.get()
    }

    /// Compares two byte ranges bytewise: negative, zero or positive. A prefix comes before the
    /// longer range.
    public static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let shared = min(a.count, b.count)
        if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
            let order = MemoryBlock.order(left, right, shared)
            if order != 0 { return order }
        }
        return a.count - b.count
    }
}

extension StoredText: Hashable, Comparable {
    /// Returns whether the bytes are equal.
    public static func == (a: StoredText, b: StoredText) -> Bool {
        a.withUTF8 { left in b.withUTF8 { right in StoredText.compare(left, right) == 0 } }
    }

    /// Returns whether the bytes of `a` come first.
    public static func < (a: StoredText, b: StoredText) -> Bool {
        a.withUTF8 { left in b.withUTF8 { right in StoredText.compare(left, right) < 0 } }
    }

    /// Hashes the bytes, so that equal texts have equal hashes, and equivalent texts may differ.
    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }
}

extension StoredText: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates text from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The text itself.
    public var description: String { string }
}
