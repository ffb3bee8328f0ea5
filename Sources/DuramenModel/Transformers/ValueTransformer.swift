public import DuramenArchives
public import Foundation

/// How the values of transformable attributes become bytes where the model names a transformer.
///
/// Core Data's own transformers keep a keyed archive; ``ValueTransformers`` knows them. Register a
/// transformer of your own to read what your application's `NSValueTransformer` wrote:
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
    /// What a transformer makes of values.
    enum Form: Sendable {
        /// A keyed archive of Foundation's basic values, of any type that is `Codable`.
        case archive
        /// Bytes of the application's choice.
        case custom(Coder)
    }

    /// The functions of the application, for values of one type.
    struct Coder: Sendable {
        let type: any (Codable & Sendable).Type
        let decode: @Sendable (Data) throws -> any Codable & Sendable
        /// Nil for a value of another type.
        let encode: @Sendable (Any) throws -> Data?
    }

    /// The name that the model has for the transformer.
    public let name: String
    let form: Form

    /// A transformer that keeps a keyed archive of values that are `Codable`, as Core Data's do.
    public static func archive(_ name: String) -> ValueTransformer {
        ValueTransformer(name: name, form: .archive)
    }

    private init(name: String, form: Form) {
        self.name = name
        self.form = form
    }

    /// A transformer with bytes of its own.
    ///
    /// - Parameters:
    ///   - name: The name that the model has for the transformer.
    ///   - decode: Makes a value of bytes, which may come from anywhere. Throw for other bytes.
    ///   - encode: Makes the bytes of a value.
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

    /// A transformer that keeps a keyed archive with objects of the application's classes.
    ///
    /// - Parameters:
    ///   - name: The name that the model has for the transformer.
    ///   - classes: The names of the classes whose objects are read beside Foundation's basic ones.
    ///     An archive with an object of any other class is refused.
    ///   - decode: Makes a value of what the archive holds. Throw for anything else.
    ///   - encode: Says what the archive of a value holds.
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

    /// The type of the values; nil for any that is `Codable`.
    var valueType: (any (Codable & Sendable).Type)? {
        if case .custom(let coder) = form { coder.type } else { nil }
    }
}
