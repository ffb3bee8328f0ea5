import DuramenModel
import Foundation

/// Builds keys whose bytes have the order of their values.
///
/// ```
///   null       00
///   a value    01, then by kind:
///     integer, reference   8 bytes, big-endian, sign bit inverted
///     double, float, date  8 bytes, big-endian: sign bit inverted, negative ones completely
///     boolean              1 byte
///     text, URI, binary    the bytes, each 00 as 00 FF, then 00 00
///     UUID                 16 bytes
///     decimal              see DecimalKey
/// ```
/// No encoded value is a prefix of another, so values can follow each other.
struct KeyBuilder: ~Copyable {
    /// The longest key that the engine allows.
    static let engineLimit = 511
    /// The largest number of bytes of number and values; the primary key follows.
    static let valueLimit = engineLimit - 8

    private let memory = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 8)
    private(set) var count = 0
    /// Whether the values were too long, so that other values may have equal bytes here.
    private(set) var isCut = false
    /// Whether a value is null.
    private(set) var hasNull = false

    deinit { memory.deallocate() }

    /// The key so far, valid until the builder is used again.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Starts a key with the number of an index or relationship.
    mutating func begin(_ number: UInt32) {
        count = 0
        isCut = false
        hasNull = false
        append(number)
    }

    /// Starts a key with bytes that were built before.
    mutating func begin(bytes: [UInt8]) {
        count = min(bytes.count, Self.engineLimit)
        isCut = false
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: memory, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        }
    }

    /// Adds a primary key.
    mutating func append(key: Int64) {
        (memory + count).storeBytes(of: UInt64(bitPattern: key).bigEndian, as: UInt64.self)
        count += 8
    }

    private mutating func append(_ word: UInt32) {
        (memory + count).storeBytes(of: word.bigEndian, as: UInt32.self)
        count += 4
    }

    private mutating func append(_ byte: UInt8) {
        guard count < Self.valueLimit else {
            isCut = true
            return
        }
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    private mutating func append(word: UInt64) {
        if count + 8 <= Self.valueLimit {
            (memory + count).storeBytes(of: word.bigEndian, as: UInt64.self)
            count += 8
        } else {
            withUnsafeBytes(of: word.bigEndian) { bytes in for byte in bytes { append(byte) } }
        }
    }

    /// Adds the mark for null.
    mutating func appendNull() {
        hasNull = true
        append(0 as UInt8)
    }
    /// Adds the mark before a value.
    mutating func beginValue() { append(1 as UInt8) }

    /// Adds bytes with escapes and an end mark, so that they are separate from the next value.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isPrefix: Omits the end mark, so that the key is a prefix of all that begin with the
    ///     bytes.
    mutating func append(escaping bytes: UnsafeRawBufferPointer, isPrefix: Bool = false) {
        for byte in bytes {
            append(byte)
            if byte == 0 { append(0xFF as UInt8) }
            if isCut { return }
        }
        if isPrefix { return }
        append(0 as UInt8)
        append(0 as UInt8)
    }

    /// Adds the value of a slot.
    mutating func append(_ row: Row, _ slot: Int, _ kind: SlotKind) {
        if row.isNull(slot) {
            appendNull()
            return
        }
        beginValue()
        switch kind {
        case .integer, .reference, .referenceEntity:
            append(word: Self.ordered(row.integer(slot)))
        case .boolean: append(row.integer(slot) != 0 ? 1 : 0 as UInt8)
        case .double, .float, .date: append(word: Self.ordered(row.double(slot)))
        case .text, .uri, .binary, .transformable: append(escaping: row.unsafeBytes(slot))
        case .uuid: for byte in row.unsafeBytes(slot) { append(byte) }
        case .decimal: append(row.decimal(slot))
        }
    }

    /// Adds a value for comparison with an attribute of a kind.
    ///
    /// - Returns: Whether the value has a position in the order of the kind's values.
    mutating func append(_ value: StoredValue, as kind: SlotKind) -> Bool {
        switch (kind, value) {
        case (_, .null):
            appendNull()
            return true
        case (.integer, _):
            guard let number = Self.wholeNumber(value) else { return false }
            beginValue()
            append(word: Self.ordered(number))
        case (.reference, .objectID(let id)):
            beginValue()
            append(word: Self.ordered(id.key))
        case (.boolean, _):
            guard let number = Self.wholeNumber(value), number == 0 || number == 1 else {
                return false
            }
            beginValue()
            append(UInt8(number))
        case (.double, _), (.float, _):
            guard let number = Self.double(value) else { return false }
            beginValue()
            append(word: Self.ordered(number))
        case (.date, .date(let date)):
            beginValue()
            append(word: Self.ordered(date.timeIntervalSinceReferenceDate))
        case (.text, .text(let text)), (.text, .uri(let text)), (.uri, .text(let text)),
            (.uri, .uri(let text)):
            beginValue()
            text.withUTF8 { append(escaping: $0) }
        case (.binary, .binary(let data)):
            beginValue()
            data.withUnsafeBytes { append(escaping: $0) }
        case (.uuid, .uuid(let uuid)):
            beginValue()
            withUnsafeBytes(of: uuid.uuid) { bytes in for byte in bytes { append(byte) } }
        case (.decimal, .decimal(let number)):
            beginValue()
            append(number)
        case (.decimal, .integer(let number)):
            beginValue()
            append(Decimal(number))
        default: return false
        }
        return true
    }

    private mutating func append(_ decimal: Decimal) {
        for byte in DecimalKey.bytes(of: decimal) { append(byte) }
    }

    // MARK: - Numbers

    private static func ordered(_ number: Int64) -> UInt64 {
        UInt64(bitPattern: number) ^ (1 << 63)
    }

    private static func ordered(_ number: Double) -> UInt64 {
        let bits = (number + 0.0).bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    private static func wholeNumber(_ value: StoredValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .boolean(let flag): flag ? 1 : 0
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    private static func double(_ value: StoredValue) -> Double? {
        switch value {
        case .double(let number): number
        case .integer(let number): Double(exactly: number)
        case .boolean(let flag): flag ? 1 : 0
        default: nil
        }
    }
}
