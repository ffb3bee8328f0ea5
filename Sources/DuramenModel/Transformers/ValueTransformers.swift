/// The transformers that a model may use, by the names that its attributes have for them.
///
/// A model uses only the transformers of its registry. The default registry has Core Data's own
/// transformers, which archive Foundation's basic values.
///
/// ```swift
/// let transformers = ValueTransformers([coverTransformer])
/// let model = try LibraryModel.model.with(transformers)
/// ```
public struct ValueTransformers: Sendable {
    /// The names of Core Data's own transformers. Each of them uses keyed archives.
    public static let standardNames = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
        "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
    ]

    private var transformers: [StoredText: ValueTransformer] = [:]

    /// Creates a registry with Core Data's own transformers and the given ones. A later transformer
    /// replaces an earlier one with its name.
    public init(_ transformers: [ValueTransformer] = []) {
        for name in Self.standardNames { register(.archive(name)) }
        for transformer in transformers { register(transformer) }
    }

    /// Registers a transformer under its name.
    public mutating func register(_ transformer: ValueTransformer) {
        transformers[StoredText(transformer.name)] = transformer
    }

    /// Returns the transformer with a name, or nil if there is none.
    public subscript(name: String) -> ValueTransformer? { transformers[StoredText(name)] }
}
