/// Collects the elements of an array parameter, of one dimension, in the server's binary form.
///
/// ```
/// int32 dimensions (1, or 0 if empty) | int32 has nulls | int32 element type
/// int32 count | int32 lower bound (1)  | elements: int32 length (-1 for NULL), bytes
/// ```
struct ArrayBuilder: BinaryValueSink {
    private let element: PostgresType
    var bytes: [UInt8]
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

    mutating func noteValue(isNull: Bool) {
        count += 1
        if isNull { hasNulls = true }
    }

    /// Returns the array.
    func finish() -> Parameter {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { bytes in
            func set(_ field: Int, _ value: Int32) {
                bytes.storeBytes(of: value.bigEndian, toByteOffset: field * 4, as: Int32.self)
            }
            set(0, count == 0 ? 0 : 1)
            set(1, hasNulls ? 1 : 0)
            set(2, Int32(truncatingIfNeeded: element.rawValue))
            set(3, Int32(clamping: count))
            set(4, 1)
        }
        // An array without dimensions has no count and no bound.
        if count == 0 { bytes.removeSubrange(12...) }
        return Parameter(type: element.array, bytes: bytes)
    }
}
