import DuramenModel
import Foundation

/// Moves one kind of element into and out of a ``CompositeValue``.
protocol ElementForm<Value>: Sendable {
    associatedtype Value

    /// Returns the element's description in the model.
    func description(_ name: String) -> AttributeDescription
    /// Reads the element from an object, as the object's getters do.
    func read(from object: ManagedObject, at slot: Int) -> Value
    /// Reads the element from a row.
    func read(from reader: ValuesReader, at slot: Int) -> Value
    /// Writes the element if it differs from the object's value.
    func write(_ value: Value, to object: ManagedObject, at slot: Int)
    /// Returns the stored values of the element, one per slot.
    ///
    /// - Throws: If the element cannot be stored.
    func stored(_ value: Value) throws(CodingFailure) -> [StoredValue]
    /// Encodes the element, unless it is nil.
    func encode(
        _ value: Value, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey) throws
    /// Decodes an element that ``encode(_:to:forKey:)`` encoded.
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey
    ) throws -> Value
}

/// The name of an element as a coding key.
struct ElementKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The form of an attribute that must have a value.
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

/// The form of an optional attribute.
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

/// The form of a composite within a composite.
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

/// The form of an optional composite within a composite.
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

/// The form of a transformable value.
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

/// The form of an optional transformable value.
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
