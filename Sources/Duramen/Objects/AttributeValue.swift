public import DuramenModel
public import DuramenQuery

/// A Swift type that attributes can have.
///
/// An enumeration with a raw value of such a type only declares its conformance:
/// ```swift
/// enum Status: String, AttributeValue { case automatic, reviewed }
/// ```
/// An unknown raw value, which only other software can have stored, is read as the first case, and
/// the next save reports it. A struct with a raw value must accept every raw value, or have its own
/// `read(from:)`; otherwise, reading a value that it refuses ends the process.
public protocol AttributeValue: PredicateValue, GroupableProperty, OptionalGroupableProperty,
    Sendable
{
    /// The type of attributes with such values.
    static var attributeType: AttributeType { get }
    /// Reads a slot. Returns the type's zero value for a slot without a value.
    static func read(from slot: AttributeReader) -> Self
    /// Writes the value to a slot.
    func write(to slot: AttributeWriter)
    /// Creates the value from a stored one; nil if that has another kind or is out of range.
    init?(storedValue: StoredValue)
}

/// A reader for one slot of an object's present row, or of a stored row.
public struct AttributeReader {
    // Sound: made for one read, on an object or a source of values. The caller holds this, and it
    // keeps its row alive.
    @usableFromInline let words: UnsafeRawPointer
    @usableFromInline let owner: Borrowed<AnyObject>
    @usableFromInline let slot: Int

    @inlinable @inline(__always) init(
        words: UnsafeRawPointer, object: ManagedObject, slot: Int
    ) {
        self.words = words
        // Sound: as above.
        owner = Borrowed(object as AnyObject)
        self.slot = slot
    }

    // Sound: the caller holds the source for the time of the read.
    @inlinable @inline(__always) init(
        words: UnsafeRawPointer, source: Borrowed<AnyObject>, slot: Int
    ) {
        self.words = words
        owner = source
        self.slot = slot
    }

    /// Whether the slot has no value.
    @inlinable @inline(__always) public var isNull: Bool {
        let word = slot < 64 ? -1 : -4 - (slot >> 6)
        let bits = words.load(fromByteOffset: word &* 8, as: UInt64.self)
        return bits >> UInt64(slot & 63) & 1 != 0
    }

    /// The slot's integer; 0 if it has no value.
    @inlinable public var integer: Int64 {
        words.load(fromByteOffset: slot &* 8, as: Int64.self)
    }

    /// The slot's double; 0 if it has no value.
    @inlinable public var double: Double {
        words.load(fromByteOffset: slot &* 8, as: Double.self)
    }

    /// The slot's bytes, valid during the read; empty if it has no value.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        let word = words.load(fromByteOffset: slot &* 8, as: UInt64.self)
        return UnsafeRawBufferPointer(
            start: words + Int(word >> 32), count: Int(word & 0xFFFF_FFFF))
    }

    /// Records that the slot's value cannot be read as the property's type. The next save reports
    /// it.
    public func reportUnrepresentable() {
        owner.with { owner in
            if let object = owner as? ManagedObject {
                object.refuse(slot, "does not have the property's type")
            } else if let source = owner as? ValuesSource {
                source.record(.unrepresentable, at: slot)
            }
        }
    }
}

/// A writer for one slot of an object's own row.
public struct AttributeWriter {
    // Sound: made for the duration of one write, on an object that the caller holds.
    @usableFromInline let words: UnsafeMutableRawPointer
    @usableFromInline let object: Borrowed<ManagedObject>
    @usableFromInline let slot: Int

    @inlinable @inline(__always) init(
        words: UnsafeMutableRawPointer, object: ManagedObject, slot: Int
    ) {
        self.words = words
        self.object = Borrowed(object)
        self.slot = slot
    }

    /// Writes an integer.
    @inlinable @inline(__always) public func set(integer: Int64) {
        words.storeBytes(of: integer, toByteOffset: slot &* 8, as: Int64.self)
        clearNull()
    }

    /// Writes a double. NaN is rejected, and the next save reports it.
    @inlinable @inline(__always) public func set(double: Double) {
        if double != double { return refuseNaN() }
        // Adding 0 turns -0.0 into 0.0, because not every store can distinguish them.
        words.storeBytes(of: double + 0.0, toByteOffset: slot &* 8, as: Double.self)
        clearNull()
    }

    /// Writes a copy of the bytes.
    public func set(bytes: UnsafeRawBufferPointer) {
        object.with { $0.setBytes(bytes, at: slot) }
    }

    /// Removes the value.
    public func setNull() {
        let word = words + (slot < 64 ? -1 : -4 - (slot >> 6)) * 8
        word.storeBytes(of: word.load(as: UInt64.self) | 1 << UInt64(slot & 63), as: UInt64.self)
        words.storeBytes(of: 0, toByteOffset: slot * 8, as: UInt64.self)
    }

    @inlinable @inline(__always) func clearNull() {
        let word = words + (slot < 64 ? -1 : -4 - (slot >> 6)) &* 8
        word.storeBytes(of: word.load(as: UInt64.self) & ~(1 << UInt64(slot & 63)), as: UInt64.self)
    }

    @usableFromInline @inline(never) func refuseNaN() {
        object.with { $0.refuse(slot, "is not a number") }
    }
}
