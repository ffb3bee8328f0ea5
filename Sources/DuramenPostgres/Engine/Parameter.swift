import Foundation

/// A parameter of a statement, in the server's binary form.
struct Parameter: Sendable, Hashable {
    /// The type that the statement casts the parameter to.
    let type: PostgresType
    /// The binary form; nil for NULL.
    let bytes: [UInt8]?

    /// Creates a parameter from its binary form.
    init(type: PostgresType, bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    /// NULL.
    static func null(_ type: PostgresType) -> Parameter { Parameter(type: type, bytes: nil) }

    /// A `bigint`.
    static func bigint(_ value: Int64) -> Parameter {
        Parameter(type: .bigint, bytes: bigEndian(value))
    }

    /// An `integer`.
    static func integer(_ value: Int32) -> Parameter {
        Parameter(type: .integer, bytes: bigEndian(value))
    }

    /// A `smallint`.
    static func smallint(_ value: Int16) -> Parameter {
        Parameter(type: .smallint, bytes: bigEndian(value))
    }

    /// A `boolean`.
    static func boolean(_ value: Bool) -> Parameter {
        Parameter(type: .boolean, bytes: [value ? 1 : 0])
    }

    /// A `double precision`.
    static func double(_ value: Double) -> Parameter {
        Parameter(type: .double, bytes: bigEndian(value.bitPattern))
    }

    /// A `real`.
    static func real(_ value: Float) -> Parameter {
        Parameter(type: .real, bytes: bigEndian(value.bitPattern))
    }

    /// A `text`. The bytes are sent as they are; ``TextEscaping`` is the caller's.
    static func text(_ bytes: some Sequence<UInt8>) -> Parameter {
        Parameter(type: .text, bytes: Array(bytes))
    }

    /// A `text`, sent as it is.
    static func text(_ text: String) -> Parameter { .text(text.utf8) }

    /// A `bytea`.
    static func bytea(_ bytes: some Sequence<UInt8>) -> Parameter {
        Parameter(type: .bytea, bytes: Array(bytes))
    }

    /// A `uuid`.
    static func uuid(_ value: UUID) -> Parameter {
        Parameter(type: .uuid, bytes: withUnsafeBytes(of: value.uuid) { Array($0) })
    }

    /// A `numeric`: all digits, without rounding.
    static func numeric(_ value: Decimal) -> Parameter {
        Parameter(type: .numeric, bytes: NumericForm.bytes(of: value))
    }

    /// A `bigint[]`.
    static func bigints(_ values: some Collection<Int64>) -> Parameter {
        var array = ArrayBuilder(.bigint, capacity: values.count)
        for value in values { array.append(bigint: value) }
        return array.finish()
    }

    /// A `text[]`, sent as it is.
    static func texts(_ values: some Sequence<String>) -> Parameter {
        var array = ArrayBuilder(.text)
        for value in values { array.append(text: value) }
        return array.finish()
    }

    /// The bytes of a number, the highest first.
    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
