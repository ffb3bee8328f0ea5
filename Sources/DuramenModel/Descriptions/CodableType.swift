package import Foundation

/// The type of a transformable attribute's values, under the name that the model has for it.
///
/// Values are stored as JSON, or as a keyed archive where the attribute names one of Core Data's
/// transformers; see ``ValueTransformers``. Both forms are read from either kind of attribute. No
/// name of a type is ever read from a store: the model says what an attribute's bytes are decoded
/// as. The identifier is part of the model's version. The name of the Swift type is not, so that it
/// can be renamed.
///
/// Values take 16 MiB at most when they are encoded, and 64 levels of nesting. Keys of dictionaries
/// are sorted, so that equal values have equal bytes; a `Set`, or a dictionary whose keys are no
/// strings, has no order of its own, and counts as changed when it is set again.
public struct CodableType: Sendable {
    /// The name, unique among the model's types.
    public let identifier: String
    /// The Swift type.
    public let type: any (Codable & Sendable).Type

    /// Who makes bytes of the values; nil for JSON. An attribute of a model has it from its name.
    private(set) var transformer: ValueTransformer?

    private let decodeValue: @Sendable (Data) throws(CodingFailure) -> any Codable & Sendable
    private let encodeValue: @Sendable (Any, EncodedValue.Form) throws(CodingFailure) -> Data

    /// Registers a type.
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

    /// Registers a type with bytes of its own making.
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

    /// The same type, whose values a transformer makes bytes of.
    func transformed(by transformer: ValueTransformer?) -> CodableType {
        var copy = self
        copy.transformer = transformer
        return copy
    }

    /// Whether values are stored in another form than JSON.
    package var isTransformed: Bool { transformer != nil }

    /// The value of stored bytes, in the form that they have.
    package func value(of data: Data) throws(CodingFailure) -> any Codable & Sendable {
        guard case .custom(let coder)? = transformer?.form else { return try decodeValue(data) }
        do {
            return try coder.decode(data)
        } catch {
            // JSON stands where the transformer was not registered when it was written.
            if let value = try? decodeValue(data) { return value }
            throw CodingFailure(
                problem: "is not a value that the transformer '\(transformer?.name ?? "")' reads")
        }
    }

    /// The bytes of a value, which must be of the type.
    package func data(of value: Any) throws(CodingFailure) -> Data {
        switch transformer?.form {
        case nil: return try encodeValue(value, .json)
        case .archive?: return try encodeValue(value, .archive)
        case .custom(let coder)?:
            // Refuses a value of another type in the words of all types.
            guard let data = try? coder.encode(value) else {
                _ = try encodeValue(value, .json)
                throw CodingFailure(
                    problem: "cannot be encoded by the transformer '\(transformer?.name ?? "")'")
            }
            return data
        }
    }

    /// Whether stored bytes are a value in the form that the bytes have, which may be another than
    /// that of ``data(of:)``.
    package func isSame(_ value: Any, as stored: Data) -> Bool {
        (try? encodeValue(value, EncodedValue.Form(of: stored))) == stored
    }

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
