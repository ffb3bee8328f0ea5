import DuramenModel
import Foundation

/// The transformable attributes of an entity with a transformer, by slot.
///
/// All others are stored as JSON and have no entry here. JSON and archives are read in either case.
struct TransformedTypes: Sendable {
    private let types: [Int: CodableType]

    init(_ entity: Entity) {
        types = Dictionary(
            entity.attributes.compactMap { attribute in
                attribute.codableType.flatMap { $0.isTransformed ? (attribute.slot, $0) : nil }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Decodes stored bytes.
    func decode<Value: Codable & Sendable>(
        _ type: Value.Type, from data: Data, at slot: Int
    ) throws(CodingFailure) -> Value {
        guard let codableType = types[slot] else {
            return try EncodedValue.decode(type, from: data)
        }
        guard let value = try codableType.value(of: data) as? Value else {
            throw CodingFailure(problem: "is not of type \(type)")
        }
        return value
    }

    /// Encodes a value.
    func encode<Value: Codable & Sendable>(
        _ value: Value, at slot: Int
    ) throws(CodingFailure) -> Data {
        if let codableType = types[slot] { return try codableType.data(of: value) }
        return try EncodedValue.encode(value)
    }

    /// Whether stored bytes represent a value, which would be encoded as `data` now.
    ///
    /// A value that was stored in another form has not changed.
    func isSame<Value: Codable & Sendable>(
        _ value: Value, _ data: Data, as stored: Data, at slot: Int
    ) -> Bool {
        if stored == data { return true }
        let form = EncodedValue.Form(of: stored)
        // Without a transformer the new bytes are JSON, and different JSON is a different value.
        if types[slot] == nil, form == .json { return false }
        return (try? EncodedValue.encode(value, as: form)) == stored
    }
}
