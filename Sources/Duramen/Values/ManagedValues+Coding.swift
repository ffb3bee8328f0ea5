import DuramenModel
import Foundation

// What the `Values` that `@Managed` generates are compared and coded with. Types of attributes need
// be neither `Hashable` nor `Codable` for it, and text is compared as stores do.
extension ManagedValues {
    /// Whether two values of an attribute are stored alike.
    public static func isSame<Value: AttributeValue>(_ a: Value?, _ b: Value?) -> Bool {
        a?.storedValue == b?.storedValue
    }

    /// Feeds a value as it is stored.
    public static func hash<Value: AttributeValue>(_ value: Value?, into hasher: inout Hasher) {
        hasher.combine(value?.storedValue)
    }

    /// Encodes a value, unless it is nil: as its type does, or else as what is stored of it.
    public static func encode<Value: AttributeValue, Key: CodingKey>(
        _ value: Value?, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        try AttributeCoding.encode(value, to: &container, forKey: key)
    }

    /// Decodes what ``encode(_:to:forKey:)`` wrote.
    ///
    /// - Throws: `DecodingError` when it is missing, or none of the type's values.
    public static func decode<Value: AttributeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value {
        try AttributeCoding.decode(type, from: container, forKey: key)
    }

    /// The same; nil when it is missing or null.
    public static func decodeIfPresent<Value: AttributeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try AttributeCoding.decode(type, from: container, forKey: key)
    }
}

// The same for composites, element by element.
extension ManagedValues {
    /// Whether two composites are stored alike. One without values is like nil.
    public static func isSame<Value: CompositeValue>(_ a: Value?, _ b: Value?) -> Bool {
        Value.storedElements(of: a) == Value.storedElements(of: b)
    }

    /// Feeds a composite as it is stored.
    public static func hash<Value: CompositeValue>(_ value: Value?, into hasher: inout Hasher) {
        hasher.combine(Value.storedElements(of: value))
    }

    /// Encodes a composite, unless it is nil, as an object with its elements.
    public static func encode<Value: CompositeValue, Key: CodingKey>(
        _ value: Value?, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        try value?.encodeElements(to: &container, forKey: key)
    }

    /// Decodes what ``encode(_:to:forKey:)`` wrote.
    ///
    /// - Throws: `DecodingError` when it is missing, or an element is.
    public static func decode<Value: CompositeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value {
        try Value(decodingElementsFrom: container, forKey: key)
    }

    /// The same; nil when it is missing or null.
    public static func decodeIfPresent<Value: CompositeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try Value(decodingElementsFrom: container, forKey: key)
    }
}

// Transformable values need not be comparable: what is stored of them is.
extension ManagedValues {
    /// Whether two values of a transformable attribute are stored alike; false where one cannot be
    /// encoded.
    public static func isSameEncoded<Value: Encodable>(_ a: Value?, _ b: Value?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        guard let a = EncodedValue.bytes(of: a), let b = EncodedValue.bytes(of: b) else {
            return false
        }
        return a == b
    }

    /// Feeds a value of a transformable attribute as it is stored.
    public static func hashEncoded<Value: Encodable>(_ value: Value?, into hasher: inout Hasher) {
        if let value { hasher.combine(EncodedValue.bytes(of: value)) }
    }
}
