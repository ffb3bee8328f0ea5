import Foundation

/// Decodes Swift types from an archived value.
struct ArchivedValueDecoder: Decoder {
    private let original: ArchivedValue
    private let value: ArchivedValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: ArchivedValue, at codingPath: [any CodingKey]) {
        original = value
        self.value = value.immutable
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(try fields(), at: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        Unkeyed(try elements(), at: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    // MARK: - Values

    /// Decodes a value; values of Foundation's classes are decoded directly.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let plain = plainValue(type) {
            // The plain value is nil if the archive has a value of another class.
            guard let value = plain as? Value else { throw mismatch(type) }
            return value
        }
        if let type = type as? any EntriesDecodable.Type,
            let value = try type.decoded(from: try entries(), at: codingPath) as? Value
        {
            return value
        }
        return try Value(from: self)
    }

    /// Returns the value as a type that has a Foundation class; nil for any other type. A value of
    /// another class is returned as a value of a private type.
    private func plainValue(_ type: Any.Type) -> Any? {
        struct OfAnotherClass {}
        func found(_ value: Any?) -> Any { value ?? OfAnotherClass() }
        return switch (type, value) {
        case (is ArchivedValue.Type, _): original
        case (is String.Type, .string(let text)): text
        case (is Date.Type, .date(let date)): date
        case (is Data.Type, .data(let data)): data
        case (is UUID.Type, .uuid(let uuid)): uuid
        case (is URL.Type, .url(let url)): found(url.url)
        case (is Decimal.Type, .decimal(let number)): number
        case (is Decimal.Type, .integer(let number)): Decimal(number)
        case (is Decimal.Type, .unsigned(let number)): Decimal(number)
        case (is Decimal.Type, .double(let number)): Decimal(number)
        case (is String.Type, _), (is Date.Type, _), (is Data.Type, _), (is UUID.Type, _),
            (is URL.Type, _), (is Decimal.Type, _):
            OfAnotherClass()
        default: nil
        }
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "another class"))
    }

    private func elements() throws -> [ArchivedValue] {
        switch value {
        case .array(let elements), .set(let elements), .orderedSet(let elements): elements
        default: throw mismatch([ArchivedValue].self)
        }
    }

    private func entries() throws -> [ArchivedValue.Entry] {
        guard case .dictionary(let entries) = value else { throw mismatch([String: Any].self) }
        return entries
    }

    private func fields() throws -> [String: ArchivedValue] {
        var fields: [String: ArchivedValue] = [:]
        switch value {
        case .dictionary(let entries):
            for entry in entries {
                switch entry.key.immutable {
                case .string(let name): fields[name] = entry.value
                case .integer(let number): fields[String(number)] = entry.value
                default: throw mismatch([String: Any].self)
                }
            }
        case .object(let object):
            for (name, _) in object.fields { fields[name] = object[name] }
        default: throw mismatch([String: Any].self)
        }
        return fields
    }
}

extension ArchivedValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch value {
        case .boolean(let flag): flag
        case .integer(0): false
        case .integer(1): true
        default: throw mismatch(type)
        }
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double { try real(type) }
    func decode(_ type: Float.Type) throws -> Float { try real(type) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number? =
            switch value {
            case .integer(let number): Number(exactly: number)
            case .unsigned(let number): Number(exactly: number)
            case .double(let number): Number(exactly: number)
            case .float(let number): Number(exactly: number)
            default: nil
            }
        guard let number else { throw mismatch(type) }
        return number
    }

    private func real<Number: BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
        switch value {
        case .double(let number):
            if number.isNaN { return .nan }
            return Number(number)
        case .float(let number): return Number(number)
        case .integer(let number): return Number(number)
        case .unsigned(let number): return Number(number)
        default: throw mismatch(type)
        }
    }
}

/// A dictionary with any keys; Swift's own decoding expects a list for most key types.
private protocol EntriesDecodable {
    static func decoded(
        from entries: [ArchivedValue.Entry], at codingPath: [any CodingKey]
    ) throws -> Self
}

extension Dictionary: EntriesDecodable where Key: Decodable, Value: Decodable {
    static func decoded(
        from entries: [ArchivedValue.Entry], at codingPath: [any CodingKey]
    ) throws -> [Key: Value] {
        var result: [Key: Value] = [:]
        for entry in entries {
            let key = try ArchivedValueDecoder(entry.key, at: codingPath).decode(Key.self)
            result[key] = try ArchivedValueDecoder(entry.value, at: codingPath).decode(Value.self)
        }
        return result
    }
}

// MARK: - Containers

/// A key by position, or any other key that a container needs.
struct ArchivedKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: [String: ArchivedValue]
    let codingPath: [any CodingKey]

    init(_ fields: [String: ArchivedValue], at codingPath: [any CodingKey]) {
        self.fields = fields
        self.codingPath = codingPath
    }

    var allKeys: [Key] { fields.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

    private func decoder(_ key: some CodingKey) throws -> ArchivedValueDecoder {
        guard let value = fields[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return ArchivedValueDecoder(value, at: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).decode(type)
    }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoder(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try decoder(ArchivedKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct Unkeyed: UnkeyedDecodingContainer {
    let elements: [ArchivedValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ elements: [ArchivedValue], at codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Decodes the next element, and moves on if the result is not nil.
    private mutating func next<Value>(
        _ make: (ArchivedValueDecoder) throws -> Value
    ) throws -> Value {
        let key = ArchivedKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self, .init(codingPath: codingPath + [key], debugDescription: "the end"))
        }
        let value = try make(
            ArchivedValueDecoder(elements[currentIndex], at: codingPath + [key]))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.decode(type) }
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try next { try $0.container(keyedBy: type) } }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
