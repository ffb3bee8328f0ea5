import DuramenModel
import Foundation

/// How one kind of element gets into a ``CompositeValue`` and out of it.
protocol ElementForm<Value>: Sendable {
    associatedtype Value

    /// What a model says about it.
    func description(_ name: String) -> AttributeDescription
    /// Reads it from an object, as the object's getters do.
    func read(from object: ManagedObject, at slot: Int) -> Value
    /// Reads it from a row.
    func read(from reader: ValuesReader, at slot: Int) -> Value
    /// Writes it where it differs from what an object has.
    func write(_ value: Value, to object: ManagedObject, at slot: Int)
    /// What stores keep of it, one value a slot.
    ///
    /// - Throws: When it cannot be stored.
    func stored(_ value: Value) throws(CodingFailure) -> [StoredValue]
    /// Encodes it, unless it is nil.
    func encode(
        _ value: Value, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey) throws
    /// Decodes what ``encode(_:to:forKey:)`` wrote.
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Value
}

/// The name of an element, as a key of encoded composites.
struct ElementKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// An attribute that must have a value.
struct AttributeElement<Value: AttributeValue>: ElementForm {
    let defaultValue: Value?

    func description(_ name: String) -> AttributeDescription {
        .of(Value.self, name: name, default: defaultValue)
    }
    func read(from object: ManagedObject, at slot: Int) -> Value { object.attribute(at: slot) }
    func read(from reader: ValuesReader, at slot: Int) -> Value { reader.attribute(at: slot) }
    func write(_ value: Value, to object: ManagedObject, at slot: Int) {
        object.setElement(value, at: slot)
    }
    func stored(_ value: Value) -> [StoredValue] { [value.storedValue] }
    func encode(
        _ value: Value, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try AttributeCoding.encode(value, to: &container, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Value { try AttributeCoding.decode(Value.self, from: container, forKey: key) }
}

/// An attribute that may be nil.
struct OptionalAttributeElement<Wrapped: AttributeValue>: ElementForm {
    let defaultValue: Wrapped?

    func description(_ name: String) -> AttributeDescription {
        .of(Wrapped?.self, name: name, default: defaultValue)
    }
    func read(from object: ManagedObject, at slot: Int) -> Wrapped? { object.attribute(at: slot) }
    func read(from reader: ValuesReader, at slot: Int) -> Wrapped? { reader.attribute(at: slot) }
    func write(_ value: Wrapped?, to object: ManagedObject, at slot: Int) {
        object.setElement(value, at: slot)
    }
    func stored(_ value: Wrapped?) -> [StoredValue] { [value?.storedValue ?? .null] }
    func encode(
        _ value: Wrapped?, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try AttributeCoding.encode(value, to: &container, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Wrapped? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try AttributeCoding.decode(Wrapped.self, from: container, forKey: key)
    }
}

/// A composite within a composite.
struct NestedElement<Value: CompositeValue>: ElementForm {
    func description(_ name: String) -> AttributeDescription {
        .composite(Value.self, name: name)
    }
    func read(from object: ManagedObject, at slot: Int) -> Value { object.composite(at: slot) }
    func read(from reader: ValuesReader, at slot: Int) -> Value { reader.composite(at: slot) }
    func write(_ value: Value, to object: ManagedObject, at slot: Int) {
        object.setComposite(value, at: slot)
    }
    func stored(_ value: Value) throws(CodingFailure) -> [StoredValue] {
        try value.storedElements()
    }
    func encode(
        _ value: Value, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try value.encodeElements(to: &container, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Value { try Value(decodingElementsFrom: container, forKey: key) }
}

/// A composite within a composite that may be nil.
struct OptionalNestedElement<Wrapped: CompositeValue>: ElementForm {
    func description(_ name: String) -> AttributeDescription {
        .composite(Wrapped?.self, name: name)
    }
    func read(from object: ManagedObject, at slot: Int) -> Wrapped? { object.composite(at: slot) }
    func read(from reader: ValuesReader, at slot: Int) -> Wrapped? { reader.composite(at: slot) }
    func write(_ value: Wrapped?, to object: ManagedObject, at slot: Int) {
        object.setComposite(value, at: slot)
    }
    func stored(_ value: Wrapped?) throws(CodingFailure) -> [StoredValue] {
        try value?.storedElements()
            ?? Array(repeating: .null, count: Wrapped.elements.slotCount)
    }
    func encode(
        _ value: Wrapped?, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try value?.encodeElements(to: &container, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Wrapped? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try Wrapped(decodingElementsFrom: container, forKey: key)
    }
}

/// A transformable value.
struct CodableElement<Value: Codable & Sendable>: ElementForm {
    let identifier: String
    let initialValue: Value
    let defaultValue: Value?

    func description(_ name: String) -> AttributeDescription {
        .codable(Value.self, name: name, identifier: identifier, default: defaultValue)
    }
    func read(from object: ManagedObject, at slot: Int) -> Value {
        object.codable(at: slot, default: initialValue)
    }
    func read(from reader: ValuesReader, at slot: Int) -> Value {
        reader.codable(at: slot, default: initialValue)
    }
    func write(_ value: Value, to object: ManagedObject, at slot: Int) {
        object.setCodable(value, at: slot)
    }
    func stored(_ value: Value) throws(CodingFailure) -> [StoredValue] {
        [.binary(try EncodedValue.encode(value))]
    }
    func encode(
        _ value: Value, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try container.encode(value, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Value { try container.decode(Value.self, forKey: key) }
}

/// A transformable value that may be nil.
struct OptionalCodableElement<Wrapped: Codable & Sendable>: ElementForm {
    let identifier: String

    func description(_ name: String) -> AttributeDescription {
        .codable(Wrapped?.self, name: name, identifier: identifier)
    }
    func read(from object: ManagedObject, at slot: Int) -> Wrapped? { object.codable(at: slot) }
    func read(from reader: ValuesReader, at slot: Int) -> Wrapped? { reader.codable(at: slot) }
    func write(_ value: Wrapped?, to object: ManagedObject, at slot: Int) {
        object.setCodable(value, at: slot)
    }
    func stored(_ value: Wrapped?) throws(CodingFailure) -> [StoredValue] {
        guard let value else { return [.null] }
        return [.binary(try EncodedValue.encode(value))]
    }
    func encode(
        _ value: Wrapped?, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try container.encodeIfPresent(value, forKey: key) }
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Wrapped? { try container.decodeIfPresent(Wrapped.self, forKey: key) }
}
