public import DuramenArchives
public import Foundation

/// Encodes and decodes the values of transformable attributes that name it in the model.
///
/// Core Data's own transformers use keyed archives, and ``ValueTransformers`` includes them.
/// Register your own transformer to read values that your application's `NSValueTransformer` wrote:
///
/// ```swift
/// ValueTransformer("CoverTransformer", Cover.self, allowing: ["Library.Cover"]) { value in
///     guard case .object(let cover) = value, case .string(let text)? = cover["text"] else {
///         throw CoverError.unknown
///     }
///     return Cover(text: text)
/// } encode: { cover in
///     .object(ArchivedObject(className: "Library.Cover",
///         fields: [("text", .value(.string(cover.text)))]))
/// }
/// ```
public struct ValueTransformer: Sendable {
    /// The encoding of a transformer.
    enum Form: Sendable {
        /// A keyed archive of Foundation's basic values, for any `Codable` type.
        case archive
        /// Bytes that the application's functions encode.
        case custom(Coder)
    }

    /// The functions of the application, for values of one type.
    struct Coder: Sendable {
        let type: any (Codable & Sendable).Type
        let decode: @Sendable (Data) throws -> any Codable & Sendable
        /// Returns nil for a value of another type.
        let encode: @Sendable (Any) throws -> Data?
    }

    /// The model's name for the transformer.
    public let name: String
    let form: Form

    /// Returns a transformer that encodes `Codable` values as keyed archives, like Core Data's
    /// transformers.
    public static func archive(_ name: String) -> ValueTransformer {
        ValueTransformer(name: name, form: .archive)
    }

    private init(name: String, form: Form) {
        self.name = name
        self.form = form
    }

    /// Creates a transformer with its own encoding.
    ///
    /// - Parameters:
    ///   - name: The model's name for the transformer.
    ///   - type: The type of the values.
    ///   - decode: Decodes a value from bytes, which may come from anywhere. Throw an error for
    ///     invalid bytes.
    ///   - encode: Encodes a value.
    public init<Value: Codable & Sendable>(
        _ name: String, _ type: Value.Type,
        decode: @escaping @Sendable (_ bytes: Data) throws -> Value,
        encode: @escaping @Sendable (_ value: Value) throws -> Data
    ) {
        self.init(
            name: name,
            form: .custom(
                Coder(
                    type: type, decode: decode,
                    encode: { value in try (value as? Value).map { try encode($0) } })))
    }

    /// Creates a transformer for keyed archives with objects of the application's classes.
    ///
    /// - Parameters:
    ///   - name: The model's name for the transformer.
    ///   - type: The type of the values.
    ///   - classes: The names of the classes that an archive may have in addition to Foundation's
    ///     basic ones. Decoding an archive with any other class fails.
    ///   - decode: Returns the value of an archive's content. Throw an error for other content.
    ///   - encode: Returns the content of the archive for a value.
    public init<Value: Codable & Sendable>(
        _ name: String, _ type: Value.Type, allowing classes: Set<String>,
        decode: @escaping @Sendable (_ archived: ArchivedValue) throws -> Value,
        encode: @escaping @Sendable (_ value: Value) throws -> ArchivedValue
    ) {
        self.init(name, type) { bytes in
            try decode(try ArchivedValue(archive: bytes, allowing: classes))
        } encode: { value in
            try encode(value).archive()
        }
    }

    /// The type of the values; nil for any `Codable` type.
    var valueType: (any (Codable & Sendable).Type)? {
        if case .custom(let coder) = form { coder.type } else { nil }
    }
}
