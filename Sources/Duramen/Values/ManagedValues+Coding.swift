import DuramenModel
import Foundation

// Methods with which the generated `Values` of a `@Managed` class are compared and coded. Attribute
// types need not be `Hashable` or `Codable`, and text is compared as in stores.
extension ManagedValues {
    /// Whether two values of an attribute have the same stored form.
    public static func isSame<Value: AttributeValue>(_ a: Value?, _ b: Value?) -> Bool {
        a?.storedValue == b?.storedValue
    }

    /// Hashes the stored form of a value.
    public static func hash<Value: AttributeValue>(_ value: Value?, into hasher: inout Hasher) {
        hasher.combine(value?.storedValue)
    }

    /// Encodes a value, unless it is nil: as its type does, or otherwise in its stored form.
    public static func encode<Value: AttributeValue, Key: CodingKey>(
        _ value: Value?, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        try AttributeCoding.encode(value, to: &container, forKey: key)
    }

    /// Decodes a value that `encode(_:to:forKey:)` encoded.
    ///
    /// - Throws: `DecodingError` if it is missing or not a value of the type.
    public static func decode<Value: AttributeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value {
        try AttributeCoding.decode(type, from: container, forKey: key)
    }

    /// Decodes a value; returns nil if it is missing or null.
    public static func decodeIfPresent<Value: AttributeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try AttributeCoding.decode(type, from: container, forKey: key)
    }
}

// Comparing and coding of composites, element by element.
extension ManagedValues {
    /// Whether two composites have the same stored form. A composite without values equals nil.
    public static func isSame<Value: CompositeValue>(_ a: Value?, _ b: Value?) -> Bool {
        Value.storedElements(of: a) == Value.storedElements(of: b)
    }

    /// Hashes the stored form of a composite.
    public static func hash<Value: CompositeValue>(_ value: Value?, into hasher: inout Hasher) {
        hasher.combine(Value.storedElements(of: value))
    }

    /// Encodes a composite, unless it is nil, as an object with its elements.
    public static func encode<Value: CompositeValue, Key: CodingKey>(
        _ value: Value?, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        try value?.encodeElements(to: &container, forKey: key)
    }

    /// Decodes a composite that `encode(_:to:forKey:)` encoded.
    ///
    /// - Throws: `DecodingError` if the composite or an element is missing.
    public static func decode<Value: CompositeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value {
        try Value(decodingElementsFrom: container, forKey: key)
    }

    /// Decodes a composite; returns nil if it is missing or null.
    public static func decodeIfPresent<Value: CompositeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value? {
        guard try container.hasValue(forKey: key) else { return nil }
        return try Value(decodingElementsFrom: container, forKey: key)
    }
}

// Transformable values need not be comparable: their stored forms are compared.
extension ManagedValues {
    /// Whether two values of a transformable attribute have the same stored form; false if one
    /// cannot be encoded.
    public static func isSameEncoded<Value: Encodable>(_ a: Value?, _ b: Value?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        guard let a = EncodedValue.bytes(of: a), let b = EncodedValue.bytes(of: b) else {
            return false
        }
        return a == b
    }

    /// Hashes the stored form of a transformable attribute's value.
    public static func hashEncoded<Value: Encodable>(_ value: Value?, into hasher: inout Hasher) {
        if let value { hasher.combine(EncodedValue.bytes(of: value)) }
    }
}
