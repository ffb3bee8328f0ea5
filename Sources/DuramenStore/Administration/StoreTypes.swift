import DuramenModel

/// The kinds of stores that a program offers, so that a string can choose among them.
///
/// ```swift
/// let types = StoreTypes([.sqlite, .memory])
/// let description = try types.description(for: "sqlite:quakes.sqlite")
/// ```
public struct StoreTypes: Sendable {
    /// The kinds, in the order given.
    public let types: [any PersistentStoreType]

    /// Creates a list of kinds of stores. Nothing is registered globally.
    public init(_ types: [any PersistentStoreType]) { self.types = types }

    /// Returns the store description for a string such as `sqlite:quakes.sqlite` or `memory:`.
    ///
    /// - Throws: ``StoreError`` `.unsupported` when no kind has the name before the colon.
    public func description(for text: String) throws(StoreError) -> PersistentStoreDescription {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = StoredText(String(parts[0]))
        let named = types.first { type in
            ([type.name] + type.otherNames).contains { StoredText($0) == name }
        }
        guard parts.count == 2, let type = named else {
            let known = types.map { "\($0.name):…" }.joined(separator: ", ")
            // The text after a kind may have a password.
            let shown = parts.count == 2 ? "\(parts[0]):…" : text
            throw StoreError(
                .unsupported, "'\(shown)' names no known kind of store. Write one of: \(known).")
        }
        return try type.description(forLocation: String(parts[1]))
    }
}
