public import DuramenModel
public import Foundation

/// The bytes in a row for a value with external storage: a tag, then the value or the name of its
/// file.
///
/// ```
///   01 value                    the value itself
///   02 UUID as 36 letters, 00   the name of the value's file
/// ```
/// Core Data uses this format in its own stores.
public enum ExternalValue {
    /// The bytes after the tag.
    case inline(UnsafeRawBufferPointer)
    /// The name of the file.
    case file(UUID)

    private static let inlineTag: UInt8 = 1
    private static let fileTag: UInt8 = 2
    private static let nameLength = 36
    /// The number of bytes in a row for a value with a file.
    public static let referenceByteCount = nameLength + 2

    /// Decodes the bytes of a row, which must stay valid; nil if they are damaged.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch bytes.first {
        case Self.inlineTag: self = .inline(rest)
        case Self.fileTag:
            // The name ends with a NUL. Only a UUID may become part of a path.
            guard rest.count == Self.nameLength + 1, rest.last == 0,
                let name = UUID(uuidString: String(decoding: rest.dropLast(), as: UTF8.self))
            else { return nil }
            self = .file(name)
        default: return nil
        }
    }

    /// Returns the bytes in a row for a value that is stored in the row.
    public static func inline(copying value: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count + 1)
        bytes.append(inlineTag)
        bytes += value
        return bytes
    }

    /// Returns the bytes in a row for a value that is stored in a file.
    public static func reference(to name: UUID) -> [UInt8] {
        [fileTag] + Array(name.uuidString.utf8) + [0]
    }

    /// Returns the name of the file with these bytes: their SHA-256, cut to a UUID of version 8
    /// (RFC 9562).
    public static func name(of value: UnsafeRawBufferPointer) -> UUID {
        var bytes = ContentHash.sha256(of: value)
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns whether a name is a hash of the file's content; names from Core Data are random.
    public static func isNameOfContent(_ name: UUID) -> Bool { name.uuid.6 >> 4 == 8 }
}

extension Entity {
    /// The slots whose values may be stored in files.
    public var externalSlots: [Int] {
        attributes.filter { $0.allowsExternalBinaryDataStorage && $0.kind == .binary }.map(\.slot)
    }
}
