public import DuramenModel
public import Foundation

extension Int64: AttributeValue {
    /// 64-bit integers.
    public static var attributeType: AttributeType { .integer64 }
    /// Reads the integer.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Int64 {
        slot.integer
    }
    /// Writes the integer.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(integer: self)
    }
    /// Creates the value from a stored integer.
    public init?(storedValue value: StoredValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: AttributeValue {
    /// 64-bit integers.
    public static var attributeType: AttributeType { .integer64 }
    /// Reads the integer.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Int {
        Int(truncatingIfNeeded: slot.integer)
    }
    /// Writes the integer.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(integer: Int64(self))
    }
    /// Creates the value from a stored integer in its range.
    public init?(storedValue value: StoredValue) {
        guard case .integer(let number) = value, let fit = Int(exactly: number) else { return nil }
        self = fit
    }
}

extension Int32: AttributeValue {
    /// 32-bit integers.
    public static var attributeType: AttributeType { .integer32 }
    /// Reads the integer.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Int32 {
        Int32(clamping: slot.integer)
    }
    /// Writes the integer.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(integer: Int64(self))
    }
    /// Creates the value from a stored integer in its range.
    public init?(storedValue value: StoredValue) {
        guard case .integer(let number) = value, let fit = Int32(exactly: number) else {
            return nil
        }
        self = fit
    }
}

extension Int16: AttributeValue {
    /// 16-bit integers.
    public static var attributeType: AttributeType { .integer16 }
    /// Reads the integer.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Int16 {
        Int16(clamping: slot.integer)
    }
    /// Writes the integer.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(integer: Int64(self))
    }
    /// Creates the value from a stored integer in its range.
    public init?(storedValue value: StoredValue) {
        guard case .integer(let number) = value, let fit = Int16(exactly: number) else {
            return nil
        }
        self = fit
    }
}

extension Bool: AttributeValue {
    /// Booleans.
    public static var attributeType: AttributeType { .boolean }
    /// Reads the boolean.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Bool {
        slot.integer != 0
    }
    /// Writes the boolean.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(integer: self ? 1 : 0)
    }
    /// Creates the value from a stored Boolean.
    public init?(storedValue value: StoredValue) {
        guard case .boolean(let flag) = value else { return nil }
        self = flag
    }
}

extension Double: AttributeValue {
    /// Doubles.
    public static var attributeType: AttributeType { .double }
    /// Reads the double.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Double {
        slot.double
    }
    /// Writes the double; NaN is rejected.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(double: self)
    }
    /// Creates the value from a stored double.
    public init?(storedValue value: StoredValue) {
        guard case .double(let number) = value else { return nil }
        self = number
    }
}

extension Float: AttributeValue {
    /// Floats.
    public static var attributeType: AttributeType { .float }
    /// Reads the float.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Float {
        Float(slot.double)
    }
    /// Writes the float; NaN is rejected.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(double: Double(self))
    }
    /// Creates the value from a stored double, rounded.
    public init?(storedValue value: StoredValue) {
        guard case .double(let number) = value else { return nil }
        self = Float(number)
    }
}

extension Date: AttributeValue {
    /// Dates.
    public static var attributeType: AttributeType { .date }
    /// Reads the date.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> Date {
        Date(timeIntervalSinceReferenceDate: slot.double)
    }
    /// Writes the date. A date that is not a number is rejected.
    @inlinable @inline(__always) public func write(to slot: AttributeWriter) {
        slot.set(double: timeIntervalSinceReferenceDate)
    }
    /// Creates the value from a stored date.
    public init?(storedValue value: StoredValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
}

extension String: AttributeValue {
    /// Text.
    public static var attributeType: AttributeType { .string }
    /// Decodes the text.
    @inlinable @inline(__always) public static func read(from slot: AttributeReader) -> String {
        String(decoding: slot.bytes, as: UTF8.self)
    }
    /// Writes the text's UTF-8 bytes.
    public func write(to slot: AttributeWriter) {
        let isWritten: Void? = utf8.withContiguousStorageIfAvailable {
            slot.set(bytes: UnsafeRawBufferPointer($0))
        }
        if isWritten != nil { return }
        // Strings bridged from other systems may have another storage.
        var text = self
        text.withUTF8 { slot.set(bytes: UnsafeRawBufferPointer($0)) }
    }
    /// Creates the value from stored text.
    public init?(storedValue value: StoredValue) {
        guard case .text(let text) = value else { return nil }
        self = text.string
    }
}

extension Data: AttributeValue {
    /// Bytes.
    public static var attributeType: AttributeType { .binaryData }
    /// Copies the bytes.
    public static func read(from slot: AttributeReader) -> Data { Data(slot.bytes) }
    /// Writes the bytes.
    public func write(to slot: AttributeWriter) { withUnsafeBytes { slot.set(bytes: $0) } }
    /// Creates the value from stored bytes.
    public init?(storedValue value: StoredValue) {
        guard case .binary(let data) = value else { return nil }
        self = data
    }
}

extension UUID: AttributeValue {
    /// UUIDs.
    public static var attributeType: AttributeType { .uuid }
    /// Reads the identifier; all zeros without a value.
    public static func read(from slot: AttributeReader) -> UUID {
        let bytes = slot.bytes
        guard bytes.count == 16 else {
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
    /// Writes the identifier.
    public func write(to slot: AttributeWriter) {
        withUnsafeBytes(of: uuid) { slot.set(bytes: $0) }
    }
    /// Creates the value from a stored identifier.
    public init?(storedValue value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
}

extension URL: AttributeValue {
    /// URIs.
    public static var attributeType: AttributeType { .uri }
    /// Parses the text; `about:blank` without a value.
    public static func read(from slot: AttributeReader) -> URL {
        // The literal is a valid URL.
        URL(string: String(decoding: slot.bytes, as: UTF8.self)) ?? URL(string: "about:blank")!
    }
    /// Writes the text.
    public func write(to slot: AttributeWriter) { absoluteString.write(to: slot) }
    /// Creates the value from a stored URI that can be parsed.
    public init?(storedValue value: StoredValue) {
        guard case .uri(let text) = value, let url = URL(string: text.string) else { return nil }
        self = url
    }
}

extension Decimal: AttributeValue {
    /// Decimals.
    public static var attributeType: AttributeType { .decimal }
    /// Reads the number.
    public static func read(from slot: AttributeReader) -> Decimal {
        slot.bytes.isEmpty ? 0 : Decimal(storedDigits: slot.bytes)
    }
    /// Writes the number; NaN is rejected.
    public func write(to slot: AttributeWriter) {
        if isNaN { slot.refuseNaN() } else { storedDigits.write(to: slot) }
    }
    /// Creates the value from a stored decimal.
    public init?(storedValue value: StoredValue) {
        guard case .decimal(let number) = value else { return nil }
        self = number
    }
}
