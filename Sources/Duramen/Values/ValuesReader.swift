public import DuramenModel
import Foundation

/// A reader for one row, or one object, from which ``ManagedValues`` are created.
public struct ValuesReader {
    // Sound: made for the duration of one read, while `source` is held, which keeps what `words`
    // points to.
    @usableFromInline let words: UnsafeRawPointer
    @usableFromInline let source: Borrowed<ValuesSource>

    init(words: UnsafeRawPointer, source: ValuesSource) {
        self.words = words
        // Sound: as above.
        self.source = Borrowed(source)
    }

    @inlinable @inline(__always) func reader(at slot: Int) -> AttributeReader {
        // Sound: a reference to an object of a class is one to an object.
        AttributeReader(
            words: words, source: Borrowed(.fromOpaque(source.reference.toOpaque())), slot: slot)
    }

    /// Reads an attribute that must have a value. If it has none, the row is incomplete.
    @inlinable @inline(__always)
    public func attribute<Value: AttributeValue>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value {
        let reader = reader(at: slot)
        if reader.isNull { reportMissing(slot) }
        return Value.read(from: reader)
    }

    /// Reads an optional attribute.
    @inlinable @inline(__always)
    public func attribute<Value: AttributeValue>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value? {
        let reader = reader(at: slot)
        return reader.isNull ? nil : Value.read(from: reader)
    }

    /// Reads a composite attribute whose elements start at a slot.
    public func composite<Composite: CompositeValue>(
        at slot: Int, _ type: Composite.Type = Composite.self
    ) -> Composite { Composite(reading: self, at: slot) }

    /// Reads an optional composite attribute; nil if no element has a value.
    public func composite<Composite: CompositeValue>(
        at slot: Int, _ type: Composite.Type = Composite.self
    ) -> Composite? {
        let slots = slot..<slot + Composite.elements.slotCount
        guard slots.contains(where: { !reader(at: $0).isNull }) else { return nil }
        return Composite(reading: self, at: slot)
    }

    /// Reads a transformable attribute.
    ///
    /// - Parameters:
    ///   - slot: The attribute's slot.
    ///   - initial: The result if there is nothing stored.
    public func codable<Value: Codable & Sendable>(
        at slot: Int, default initial: @autoclosure () -> Value
    ) -> Value { codable(at: slot) ?? initial() }

    /// Reads an optional transformable attribute.
    public func codable<Value: Codable & Sendable>(
        at slot: Int, _ type: Value.Type = Value.self
    ) -> Value? {
        let reader = reader(at: slot)
        if reader.isNull { return nil }
        let types = source.with { $0.transformedTypes(words) }
        if let value = try? types.decode(Value.self, from: Data(reader.bytes), at: slot) {
            return value
        }
        reader.reportUnrepresentable()
        return nil
    }

    /// The object's ID.
    public var objectID: ManagedObjectID {
        source.with { $0.objectID(words) }
    }

    /// Reads the ID of a to-one's destination.
    public func toOne(at slot: Int) -> ManagedObjectID? {
        // The word of a null slot is 0, which is never a key.
        let key = words.load(fromByteOffset: slot &* 8, as: Int64.self)
        return key == 0
            ? nil : source.with { $0.destination(words, slot: slot, key: key) }
    }

    /// Reads the IDs of a to-many's destinations, in its order if it has one.
    /// ``ManagedValues/toManyIndices`` must contain the index.
    public func toMany(at index: Int) -> [ManagedObjectID] {
        source.with { $0.members(at: index) }
    }

    /// Whether all mandatory properties that were read so far had values.
    @usableFromInline var isComplete: Bool {
        source.with { $0.problem == nil }
    }

    @usableFromInline @inline(never) func reportMissing(_ slot: Int) {
        source.with { $0.record(.missing, at: slot) }
    }
}

@available(*, unavailable, message: "a reader is good for one read; pass the values")
extension ValuesReader: Sendable {}
