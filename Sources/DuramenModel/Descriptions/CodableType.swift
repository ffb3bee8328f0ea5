package import Foundation

/// The type of a transformable attribute's values, registered under the model's name for it.
///
/// Values are stored as JSON, or as a keyed archive if the attribute names one of Core Data's
/// transformers; see ``ValueTransformers``. Both kinds of attribute can read both forms. The name
/// of a Swift type is never read from a store: the model determines the type of an attribute's
/// bytes. The identifier is part of the model's version. The name of the Swift type is not, so you
/// can rename the type.
///
/// An encoded value has at most 16 MiB and 64 levels of nesting. Keys of dictionaries are sorted,
/// so that equal values have equal bytes. A `Set`, or a dictionary whose keys are not strings, has
/// no fixed order. It counts as changed whenever it is set.
public struct CodableType: Sendable {
    /// The name of the type, unique among the model's types.
    public let identifier: String
    /// The Swift type.
    public let type: any (Codable & Sendable).Type

    /// The transformer that encodes the values; nil for JSON. An attribute's transformer name sets
    /// it.
    private(set) var transformer: ValueTransformer?

    private let decodeValue: @Sendable (Data) throws(CodingFailure) -> any Codable & Sendable
    private let encodeValue: @Sendable (Any, EncodedValue.Form) throws(CodingFailure) -> Data

    /// Registers a type under the model's name for it.
    public init<Value: Codable & Sendable>(_ identifier: String, _ type: Value.Type) {
        self.init(
            identifier, type,
            decode: { data throws(CodingFailure) in
                try EncodedValue.decode(Value.self, from: data)
            },
            encode: { value, form throws(CodingFailure) in
                try EncodedValue.encode(value, as: form)
            })
    }

    /// Registers a type with its own encoding.
    init<Value: Codable & Sendable>(
        _ identifier: String, _ type: Value.Type,
        decode: @escaping @Sendable (Data) throws(CodingFailure) -> Value,
        encode: @escaping @Sendable (Value, EncodedValue.Form) throws(CodingFailure) -> Data
    ) {
        self.identifier = identifier
        self.type = type
        decodeValue = { data throws(CodingFailure) in try decode(data) }
        encodeValue = { value, form throws(CodingFailure) in
            guard let value = value as? Value else {
                throw CodingFailure(
                    problem: "is of type \(Swift.type(of: value)), not \(Value.self)")
            }
            return try encode(value, form)
        }
    }

    /// Returns this type with a transformer that encodes its values.
    func transformed(by transformer: ValueTransformer?) -> CodableType {
        var copy = self
        copy.transformer = transformer
        return copy
    }

    /// Whether values are stored in a form other than JSON.
    package var isTransformed: Bool { transformer != nil }

    /// Decodes a value from stored bytes, in the form that the bytes have.
    package func value(of data: Data) throws(CodingFailure) -> any Codable & Sendable {
        guard case .custom(let coder)? = transformer?.form else { return try decodeValue(data) }
        do {
            return try coder.decode(data)
        } catch {
            // The bytes are JSON if the transformer was not registered when they were written.
            if let value = try? decodeValue(data) { return value }
            throw CodingFailure(
                problem: "is not a value that the transformer '\(transformer?.name ?? "")' reads")
        }
    }

    /// Encodes a value, which must have the type.
    package func data(of value: Any) throws(CodingFailure) -> Data {
        switch transformer?.form {
        case nil: return try encodeValue(value, .json)
        case .archive?: return try encodeValue(value, .archive)
        case .custom(let coder)?:
            // Throws the usual error for a value of another type.
            guard let data = try? coder.encode(value) else {
                _ = try encodeValue(value, .json)
                throw CodingFailure(
                    problem: "cannot be encoded by the transformer '\(transformer?.name ?? "")'")
            }
            return data
        }
    }

    /// Returns whether stored bytes encode a value. The bytes may have another form than
    /// ``data(of:)`` returns.
    package func isSame(_ value: Any, as stored: Data) -> Bool {
        (try? encodeValue(value, EncodedValue.Form(of: stored))) == stored
    }

    /// Returns why bytes are not a value of the type; nil if they are.
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
    /// Returns whether two registrations have one Swift type under one name.
    public static func == (a: CodableType, b: CodableType) -> Bool {
        a.type == b.type && StoredText(a.identifier) == StoredText(b.identifier)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(StoredText(identifier)) }
}

extension AttributeDescription {
    /// Describes a transformable attribute: an attribute of any `Codable` type, stored as JSON.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the values.
    ///   - name: The attribute's name, unique within the entity and its ancestors.
    ///   - identifier: The model's name for the type; see ``CodableType``.
    ///   - defaultValue: The value of a new object; nil for none.
    ///   - renamingIdentifier: The name in an earlier version of the model, for migration.
    ///   - versionHashModifier: Text that is mixed into the version hash.
    ///   - userInfo: Notes of the application.
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
            // Empty bytes are not a value, so the model rejects a default that cannot be encoded.
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
