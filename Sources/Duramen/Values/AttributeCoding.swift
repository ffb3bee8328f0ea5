import DuramenModel
import Foundation

/// Coding of attribute values, whose types need not be `Codable`.
enum AttributeCoding {
    /// Encodes a value, unless it is nil: as its type does, or otherwise in its stored form.
    static func encode<Value: AttributeValue, Key: CodingKey>(
        _ value: Value?, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        guard let value else { return }
        if let encodable = value as? any Encodable {
            return try container.encode(encodable, forKey: key)
        }
        switch value.storedValue {
        case .null, .objectID: break
        case .integer(let number): try container.encode(number, forKey: key)
        case .double(let number): try container.encode(number, forKey: key)
        case .decimal(let number): try container.encode(number, forKey: key)
        case .text(let text), .uri(let text): try container.encode(text.string, forKey: key)
        case .boolean(let flag): try container.encode(flag, forKey: key)
        case .date(let date): try container.encode(date, forKey: key)
        case .binary(let data): try container.encode(data, forKey: key)
        case .uuid(let uuid): try container.encode(uuid, forKey: key)
        }
    }

    /// Decodes a value that ``encode(_:to:forKey:)`` encoded.
    ///
    /// - Throws: `DecodingError` if it is missing or not a value of the type.
    static func decode<Value: AttributeValue, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value {
        if let decodable = Value.self as? any Decodable.Type {
            // The type is that of `Value`.
            if let value = try container.decode(decodable, forKey: key) as? Value { return value }
        } else if let value = Value(storedValue: try storedValue(type, container, key)) {
            return value
        }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: container,
            debugDescription: "The value is not one of \(type). Use one that is.")
    }

    private static func storedValue<Key: CodingKey>(
        _ type: (some AttributeValue).Type, _ container: KeyedDecodingContainer<Key>, _ key: Key
    ) throws -> StoredValue {
        switch SlotKind(type.attributeType) {
        case .integer: .integer(try container.decode(Int64.self, forKey: key))
        case .double, .float: .double(try container.decode(Double.self, forKey: key))
        case .decimal: .decimal(try container.decode(Decimal.self, forKey: key))
        case .text: .text(StoredText(try container.decode(String.self, forKey: key)))
        case .uri: .uri(StoredText(try container.decode(String.self, forKey: key)))
        case .boolean: .boolean(try container.decode(Bool.self, forKey: key))
        case .date: .date(try container.decode(Date.self, forKey: key))
        case .binary: .binary(try container.decode(Data.self, forKey: key))
        case .uuid: .uuid(try container.decode(UUID.self, forKey: key))
        // No `AttributeValue` has these types.
        case .transformable, .reference, .referenceEntity, nil: .null
        }
    }
}

extension KeyedDecodingContainer {
    /// Whether a key has a value other than null.
    func hasValue(forKey key: Key) throws -> Bool {
        try contains(key) && !decodeNil(forKey: key)
    }
}

extension EncodedValue {
    /// Returns the bytes of a value; nil if it cannot be encoded.
    static func bytes(of value: some Encodable) -> Data? { try? encode(value) }
}
