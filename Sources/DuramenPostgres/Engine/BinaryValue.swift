import Foundation

/// Reads values in the server's binary form. Each function returns nil if the length is wrong.
enum BinaryValue {
    /// Reads a `bigint`.
    static func int64(_ bytes: UnsafeRawBufferPointer) -> Int64? { integer(bytes) }

    /// Reads an `integer`.
    static func int32(_ bytes: UnsafeRawBufferPointer) -> Int32? { integer(bytes) }

    /// Reads a `smallint`.
    static func int16(_ bytes: UnsafeRawBufferPointer) -> Int16? { integer(bytes) }

    /// Reads a `bigint`, `integer` or `smallint`.
    static func anyInteger(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        switch bytes.count {
        case 8: int64(bytes)
        case 4: int32(bytes).map(Int64.init)
        case 2: int16(bytes).map(Int64.init)
        default: nil
        }
    }

    /// Reads a `boolean`.
    static func bool(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        bytes.count == 1 ? bytes[0] != 0 : nil
    }

    /// Reads a `double precision`.
    static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        (integer(bytes) as UInt64?).map { Double(bitPattern: $0) }
    }

    /// Reads a `real`.
    static func float(_ bytes: UnsafeRawBufferPointer) -> Float? {
        (integer(bytes) as UInt32?).map { Float(bitPattern: $0) }
    }

    /// Reads a `uuid`.
    static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Reads a `numeric`; also nil if it does not fit a `Decimal` exactly. It is never rounded.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        NumericForm.decimal(bytes)
    }

    /// Reads the elements of an array of at most one dimension, nil for each NULL; nil if it is
    /// not one. The elements are parts of `bytes`.
    static func elements(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer?]? {
        func field(_ at: Int) -> Int? {
            guard at >= 0, at <= bytes.count - 4 else { return nil }
            return (integer(UnsafeRawBufferPointer(rebasing: bytes[at..<at + 4])) as Int32?)
                .map(Int.init)
        }
        guard let dimensions = field(0) else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = field(12), count >= 0 else { return nil }
        var elements: [UnsafeRawBufferPointer?] = []
        elements.reserveCapacity(min(count, bytes.count / 4))
        var at = 20
        for _ in 0..<count {
            guard let length = field(at) else { return nil }
            at += 4
            if length < 0 {
                elements.append(nil)
                continue
            }
            guard length <= bytes.count - at else { return nil }
            elements.append(UnsafeRawBufferPointer(rebasing: bytes[at..<at + length]))
            at += length
        }
        return elements
    }

    private static func integer<Value: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer
    ) -> Value? {
        guard bytes.count == Value.bitWidth / 8 else { return nil }
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }
}
