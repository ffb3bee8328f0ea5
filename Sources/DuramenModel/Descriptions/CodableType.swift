package import Foundation

/// The type of a transformable attribute's values, under the name that the model has for it.
///
/// Values are stored as JSON. No name of a type is ever read from a store: the model says what an
/// attribute's bytes are decoded as. The identifier is part of the model's version, the name of the Swift
/// type is not, so that it can be renamed.
///
/// Values take 16 MiB at most when they are encoded, and 64 levels of nesting. Keys of dictionaries are
/// sorted, so that equal values have equal bytes; a `Set`, or a dictionary whose keys are no strings,
/// has no order of its own, and counts as changed when it is set again.
public struct CodableType: Sendable {
    /// The name, unique among the model's types.
    public let identifier: String
    /// The Swift type.
    public let type: any (Codable & Sendable).Type

    private let decodeValue: @Sendable (Data) throws(CodingFailure) -> any Codable & Sendable
    private let encodeValue: @Sendable (Any) throws(CodingFailure) -> Data

    /// Registers a type.
    public init<Value: Codable & Sendable>(_ identifier: String, _ type: Value.Type) {
        self.identifier = identifier
        self.type = type
        decodeValue = { data throws(CodingFailure) in
            try EncodedValue.decode(Value.self, from: data)
        }
        encodeValue = { value throws(CodingFailure) in
            guard let value = value as? Value else {
                throw CodingFailure(
                    problem: "is of type \(Swift.type(of: value)), not \(Value.self)")
            }
            return try EncodedValue.encode(value)
        }
    }

    /// The value of stored bytes.
    package func value(of data: Data) throws(CodingFailure) -> any Codable & Sendable {
        try decodeValue(data)
    }

    /// The bytes of a value, which must be of the type.
    package func data(of value: Any) throws(CodingFailure) -> Data { try encodeValue(value) }

    /// What keeps bytes from being a value of the type; nil when they are one.
    func problem(with data: Data) -> String? {
        do throws(CodingFailure) {
            _ = try decodeValue(data)
            return nil
        } catch {
            return error.problem
        }
    }
}

extension CodableType: Hashable {
    /// True for the same Swift type under the same name.
    public static func == (a: CodableType, b: CodableType) -> Bool {
        a.type == b.type && StoredText(a.identifier) == StoredText(b.identifier)
    }

    /// Feeds the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(StoredText(identifier)) }
}

extension AttributeDescription {
    /// Describes a transformable attribute: one of any `Codable` type, stored as JSON.
    ///
    /// - Parameter identifier: The model's name for the type; see ``CodableType``.
    @_disfavoredOverload
    public static func codable<Value: Codable & Sendable>(
        _ type: Value.Type, name: String, identifier: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = AttributeDescription(
            name, .transformable, renamingIdentifier: renamingIdentifier,
            versionHashModifier: versionHashModifier, userInfo: userInfo)
        description.codableType = CodableType(identifier, type)
        if let defaultValue {
            // No bytes stand for no value, so that the model refuses the default.
            description.defaultValue = .binary((try? EncodedValue.encode(defaultValue)) ?? Data())
        }
        return description
    }

    /// Describes an optional transformable attribute.
    public static func codable<Value: Codable & Sendable>(
        _ type: Value?.Type, name: String, identifier: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = codable(
            Value.self, name: name, identifier: identifier, default: defaultValue,
            renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier,
            userInfo: userInfo)
        description.isOptional = true
        return description
    }
}
