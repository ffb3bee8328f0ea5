import DuramenModel
package import DuramenQuery
import Foundation

/// Values as bytes, for values that an engine cannot store: decimals, lists, and values whose kind
/// is only known at run time.
///
/// ```
///   kind (1 byte) │ value: 8 bytes of a number, or 8 bytes of a length and as many bytes
///   'l'           │ 8 bytes of a count, and as many values
/// ```
package enum BoxedValue {
    /// Returns the bytes of a value.
    package static func encode(_ value: QueryValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Returns the value of bytes; nil if they are not a value.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> QueryValue? {
        var rest = bytes[...]
        guard let value = take(&rest, depth: 0), rest.isEmpty else { return nil }
        return value
    }

    private static func append(_ value: QueryValue, to bytes: inout [UInt8]) {
        switch value {
        case .value(let value): append(value, to: &bytes)
        case .collection(let elements): append(elements, to: &bytes)
        case .dictionary(let values): append(Array(values.values), to: &bytes)
        }
    }

    private static func append(_ elements: [QueryValue], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "l"))
        append(UInt64(elements.count), to: &bytes)
        for element in elements { append(element, to: &bytes) }
    }

    private static func append(_ value: StoredValue, to bytes: inout [UInt8]) {
        func number(_ kind: Character, _ word: UInt64) {
            bytes.append(kind.asciiValue ?? 0)
            append(word, to: &bytes)
        }
        func text(_ kind: Character, _ part: some Collection<UInt8>) {
            number(kind, UInt64(part.count))
            bytes += part
        }
        switch value {
        case .null: bytes.append(UInt8(ascii: "0"))
        case .integer(let value): number("i", UInt64(bitPattern: value))
        case .boolean(let value): number("b", value ? 1 : 0)
        case .double(let value): number("d", value.bitPattern)
        case .date(let value): number("D", value.timeIntervalSinceReferenceDate.bitPattern)
        case .decimal(let value): text("m", value.description.utf8)
        case .text(let value): text("t", value.string.utf8)
        case .uri(let value): text("u", value.string.utf8)
        case .binary(let value): text("x", value)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { text("g", $0) }
        case .objectID(let value):
            text("o", value.uriRepresentation.absoluteString.utf8)
        }
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
    }

    // MARK: - Reading

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    private static func take(_ bytes: inout Bytes, depth: Int) -> QueryValue? {
        guard depth < 256, let kind = bytes.popFirst() else { return nil }
        if kind == UInt8(ascii: "0") { return .value(.null) }
        guard let word = word(&bytes) else { return nil }
        if kind == UInt8(ascii: "l") {
            var elements: [QueryValue] = []
            // Each element has at least one byte.
            guard word <= UInt64(bytes.count) else { return nil }
            for _ in 0..<word {
                guard let element = take(&bytes, depth: depth + 1) else { return nil }
                elements.append(element)
            }
            return .collection(elements)
        }
        return number(kind, word).map { .value($0) } ?? text(kind, word, &bytes).map { .value($0) }
    }

    private static func word(_ bytes: inout Bytes) -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        var word: UInt64 = 0
        for shift in 0..<8 { word |= UInt64(bytes.popFirst() ?? 0) << UInt64(shift * 8) }
        return word
    }

    private static func number(_ kind: UInt8, _ word: UInt64) -> StoredValue? {
        switch kind {
        case UInt8(ascii: "i"): .integer(Int64(bitPattern: word))
        case UInt8(ascii: "b"): .boolean(word != 0)
        case UInt8(ascii: "d"): .double(Double(bitPattern: word))
        case UInt8(ascii: "D"):
            .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word)))
        default: nil
        }
    }

    private static func text(_ kind: UInt8, _ count: UInt64, _ bytes: inout Bytes) -> StoredValue? {
        guard count <= UInt64(bytes.count) else { return nil }
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(count)))
        bytes = bytes.dropFirst(Int(count))
        switch kind {
        case UInt8(ascii: "t"): return .text(StoredText(utf8: part))
        case UInt8(ascii: "u"): return .uri(StoredText(utf8: part))
        case UInt8(ascii: "x"): return .binary(Data(part))
        case UInt8(ascii: "m"):
            return Decimal(string: String(decoding: part, as: UTF8.self)).map { .decimal($0) }
        case UInt8(ascii: "g"):
            guard part.count == 16 else { return nil }
            return .uuid(UUID(uuid: part.loadUnaligned(as: uuid_t.self)))
        case UInt8(ascii: "o"):
            return URL(string: String(decoding: part, as: UTF8.self))
                .flatMap { ManagedObjectID(uri: $0) }.map { .objectID($0) }
        default: return nil
        }
    }
}
