import Foundation

/// Encodes Swift types as archived values.
struct ArchivedValueEncoder: Encoder {
    /// The place of the value.
    fileprivate let place: Place
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// A place that containers fill. It is a class, since a container may be filled after its
    /// parent.
    fileprivate final class Place {
        enum Content {
            case nothing
            case value(ArchivedValue)
            case list([Place])
            case fields([(name: String, place: Place)])
        }
        var content = Content.nothing

        var value: ArchivedValue {
            switch content {
            // An enum without a payload, or a struct without properties.
            case .nothing: .dictionary([])
            case .value(let value): value
            case .list(let places): .array(places.map(\.value))
            case .fields(let fields):
                .sorted(
                    Dictionary(
                        fields.map { ($0.name, $0.place.value) },
                        uniquingKeysWith: { _, last in last }))
            }
        }
    }

    /// Returns the archived form of a value.
    static func value(
        of value: any Encodable, at codingPath: [any CodingKey]
    ) throws -> ArchivedValue {
        guard codingPath.count <= ArchiveLimits.depth else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "too many levels"))
        }
        switch value {
        case let value as ArchivedValue: return value
        case let value as String: return .string(value)
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as UUID: return .uuid(value)
        case let value as URL: return .url(ArchivedURL(value))
        case let value as Decimal: return .decimal(value)
        case let value as any EntriesEncodable: return try value.archived(at: codingPath)
        case let value as any ElementsEncodable: return try value.archived(at: codingPath)
        default:
            let encoder = ArchivedValueEncoder(place: Place(), codingPath: codingPath)
            try value.encode(to: encoder)
            return encoder.place.value
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .fields = place.content {} else { place.content = .fields([]) }
        return KeyedEncodingContainer(Keyed(place: place, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .list = place.content {} else { place.content = .list([]) }
        return Unkeyed(place: place, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ArchivedValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { place.content = .value(.null) }
    func encode(_ value: Bool) { place.content = .value(.boolean(value)) }
    func encode(_ value: String) { place.content = .value(.string(value)) }
    func encode(_ value: Double) { place.content = .value(.double(value)) }
    func encode(_ value: Float) { place.content = .value(.float(value)) }
    func encode(_ value: Int) { integer(value) }
    func encode(_ value: Int8) { integer(value) }
    func encode(_ value: Int16) { integer(value) }
    func encode(_ value: Int32) { integer(value) }
    func encode(_ value: Int64) { integer(value) }
    func encode(_ value: UInt) { integer(value) }
    func encode(_ value: UInt8) { integer(value) }
    func encode(_ value: UInt16) { integer(value) }
    func encode(_ value: UInt32) { integer(value) }
    func encode(_ value: UInt64) { integer(value) }
    func encode(_ value: some Encodable) throws {
        place.content = .value(try Self.value(of: value, at: codingPath))
    }

    private func integer(_ number: some FixedWidthInteger) {
        place.content = .value(
            Int64(exactly: number).map { .integer($0) } ?? .unsigned(UInt64(clamping: number)))
    }
}

// MARK: - Collections

/// A dictionary with any keys; Swift's own encoding makes a list for most key types.
private protocol EntriesEncodable {
    func archived(at codingPath: [any CodingKey]) throws -> ArchivedValue
}

extension Dictionary: EntriesEncodable where Key: Encodable, Value: Encodable {
    func archived(at codingPath: [any CodingKey]) throws -> ArchivedValue {
        let path = codingPath + [ArchivedKey(intValue: 0)]
        let entries = try map { key, value in
            ArchivedValue.Entry(
                try ArchivedValueEncoder.value(of: key, at: path),
                try ArchivedValueEncoder.value(of: value, at: path))
        }
        return .dictionary(try inOrder(entries, by: \.key))
    }
}

/// A set; Swift's own encoding makes a list.
private protocol ElementsEncodable {
    func archived(at codingPath: [any CodingKey]) throws -> ArchivedValue
}

extension Set: ElementsEncodable where Element: Encodable {
    func archived(at codingPath: [any CodingKey]) throws -> ArchivedValue {
        let path = codingPath + [ArchivedKey(intValue: 0)]
        let elements = try map { try ArchivedValueEncoder.value(of: $0, at: path) }
        return .set(try inOrder(elements, by: \.self))
    }
}

/// Returns elements in an order that depends only on their values: numbers and texts in their
/// order, other values by their archives.
private func inOrder<Element>(
    _ elements: [Element], by key: (Element) -> ArchivedValue
) throws -> [Element] {
    let keys = try elements.map { element -> (kind: Int, number: Int64, bytes: [UInt8]) in
        switch key(element) {
        case .integer(let number): (0, number, [])
        case .string(let text): (1, 0, Array(text.utf8))
        case let value: (2, 0, Array(try value.archive()))
        }
    }
    return elements.indices.sorted { a, b in
        let (a, b) = (keys[a], keys[b])
        if a.kind != b.kind { return a.kind < b.kind }
        if a.number != b.number { return a.number < b.number }
        return a.bytes.lexicographicallyPrecedes(b.bytes)
    }.map { elements[$0] }
}

// MARK: - Containers

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: ArchivedValueEncoder.Place
    let codingPath: [any CodingKey]

    private func add(_ key: some CodingKey) -> ArchivedValueEncoder {
        let added = ArchivedValueEncoder.Place()
        if case .fields(var fields) = place.content {
            place.content = .nothing
            fields.append((key.stringValue, added))
            place.content = .fields(fields)
        }
        return ArchivedValueEncoder(place: added, codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { add(key).encodeNil() }
    func encode(_ value: some Encodable, forKey key: Key) throws { try add(key).encode(value) }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { add(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        add(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { add(ArchivedKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { add(key) }
}

private struct Unkeyed: UnkeyedEncodingContainer {
    let place: ArchivedValueEncoder.Place
    let codingPath: [any CodingKey]

    var count: Int {
        if case .list(let places) = place.content { places.count } else { 0 }
    }

    private func add() -> ArchivedValueEncoder {
        let added = ArchivedValueEncoder.Place()
        let key = ArchivedKey(intValue: count)
        if case .list(var places) = place.content {
            place.content = .nothing
            places.append(added)
            place.content = .list(places)
        }
        return ArchivedValueEncoder(place: added, codingPath: codingPath + [key])
    }

    func encodeNil() { add().encodeNil() }
    func encode(_ value: some Encodable) throws { try add().encode(value) }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { add().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { add().unkeyedContainer() }
    func superEncoder() -> any Encoder { add() }
}
