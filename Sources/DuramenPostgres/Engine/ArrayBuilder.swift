import Foundation

/// Collects the elements of an array parameter, of one dimension, in the server's binary form.
///
/// ```
/// int32 dimensions (1, or 0 if empty) | int32 has nulls | int32 element type
/// int32 count | int32 lower bound (1)  | elements: int32 length (-1 for NULL), bytes
/// ```
struct ArrayBuilder {
    private let element: PostgresType
    private var bytes: [UInt8]
    private var hasNulls = false
    /// The number of elements.
    private(set) var count = 0

    private static let headerBytes = 20

    /// Begins an array of elements of a type.
    ///
    /// - Parameters:
    ///   - element: The type of the elements.
    ///   - capacity: How many elements are expected.
    init(_ element: PostgresType, capacity: Int = 0) {
        self.element = element
        bytes = []
        bytes.reserveCapacity(Self.headerBytes + capacity * 12)
        bytes.append(contentsOf: repeatElement(0, count: Self.headerBytes))
    }

    /// Appends NULL.
    mutating func appendNull() {
        hasNulls = true
        begin(-1)
    }

    /// Appends a `bigint`.
    mutating func append(bigint value: Int64) { append(value) }

    /// Appends an `integer`.
    mutating func append(integer value: Int32) { append(value) }

    /// Appends a `smallint`.
    mutating func append(smallint value: Int16) { append(value) }

    /// Appends a `double precision`.
    mutating func append(double value: Double) { append(value.bitPattern) }

    /// Appends a `real`.
    mutating func append(real value: Float) { append(value.bitPattern) }

    /// Appends a `boolean`.
    mutating func append(boolean value: Bool) {
        begin(1)
        bytes.append(value ? 1 : 0)
    }

    /// Appends a `text`, sent as it is.
    mutating func append(text value: String) {
        begin(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Appends a `text`, `bytea` or any other element by its binary form.
    mutating func append(bytes value: UnsafeRawBufferPointer) {
        begin(value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends a `text`, `bytea` or any other element by its binary form.
    mutating func append(bytes value: some Collection<UInt8>) {
        begin(value.count)
        bytes.append(contentsOf: value)
    }

    /// Appends a `uuid`.
    mutating func append(uuid value: UUID) {
        withUnsafeBytes(of: value.uuid) { append(bytes: $0) }
    }

    /// Appends a `numeric`.
    mutating func append(numeric value: Decimal) { append(bytes: NumericForm.bytes(of: value)) }

    /// Appends a parameter of the element's type.
    mutating func append(_ parameter: Parameter) {
        if let value = parameter.bytes { append(bytes: value) } else { appendNull() }
    }

    /// Returns the array.
    func finish() -> Parameter {
        var bytes = bytes
        let header: [Int32] = [
            count == 0 ? 0 : 1, hasNulls ? 1 : 0, Int32(truncatingIfNeeded: element.rawValue),
            Int32(clamping: count), 1,
        ]
        for (index, field) in header.enumerated() {
            bytes.replaceSubrange(index * 4..<index * 4 + 4, with: Parameter.bigEndian(field))
        }
        // An array without dimensions has no count and no bound.
        if count == 0 { bytes.removeSubrange(12...) }
        return Parameter(type: element.array, bytes: bytes)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        begin(value.bitWidth / 8)
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func begin(_ length: Int) {
        count += 1
        withUnsafeBytes(of: Int32(clamping: length).bigEndian) { bytes.append(contentsOf: $0) }
    }
}
