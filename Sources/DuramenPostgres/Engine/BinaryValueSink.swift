import Foundation

/// Receives values in the server's binary form, each after its length: the elements of an array, or
/// the columns of a COPY.
protocol BinaryValueSink {
    /// The bytes so far.
    var bytes: [UInt8] { get set }

    /// Called before each value.
    mutating func noteValue(isNull: Bool)
}

extension BinaryValueSink {
    /// Appends NULL.
    mutating func appendNull() {
        noteValue(isNull: true)
        bytes.append(bigEndian: Int32(-1))
    }

    /// Appends a `bigint`.
    @inline(__always) mutating func append(bigint value: Int64) { append(number: value) }

    /// Appends an `integer`.
    @inline(__always) mutating func append(integer value: Int32) { append(number: value) }

    /// Appends a `smallint`.
    mutating func append(smallint value: Int16) { append(number: value) }

    /// Appends a `double precision`.
    @inline(__always) mutating func append(double value: Double) {
        append(number: value.bitPattern)
    }

    /// Appends a `real`.
    mutating func append(real value: Float) { append(number: value.bitPattern) }

    /// Appends a `boolean`.
    @inline(__always) mutating func append(boolean value: Bool) {
        append(number: value ? 1 : 0 as UInt8)
    }

    /// Appends a `text`, sent as it is.
    mutating func append(text value: String) { append(bytes: value.utf8) }

    /// Appends a `text`, `bytea` or any other value by its binary form.
    @inline(__always) mutating func append(bytes value: UnsafeRawBufferPointer) {
        noteValue(isNull: false)
        bytes.append(bigEndian: Int32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a `text`, `bytea` or any other value by its binary form.
    mutating func append(bytes value: some Collection<UInt8>) {
        noteValue(isNull: false)
        bytes.append(bigEndian: Int32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a `uuid`.
    mutating func append(uuid value: UUID) {
        withUnsafeBytes(of: value.uuid) { append(bytes: $0) }
    }

    /// Appends a `numeric`.
    mutating func append(numeric value: Decimal) { append(bytes: NumericForm.bytes(of: value)) }

    /// Appends a parameter as a value.
    mutating func append(_ parameter: Parameter) {
        if let value = parameter.bytes { append(bytes: value) } else { appendNull() }
    }

    @inline(__always) private mutating func append(number value: some FixedWidthInteger) {
        noteValue(isNull: false)
        bytes.append(bigEndian: Int32(value.bitWidth / 8))
        bytes.append(bigEndian: value)
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, the highest first.
    @inline(__always) mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
