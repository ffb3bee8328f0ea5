public import Foundation

/// The version hashes that Core Data computed for the entities of a model.
///
/// How Core Data computes a hash is not documented, so only a program on a Mac can read the hashes.
/// With them in its metadata, Core Data opens a store as a store of that model.
/// ```swift
/// // On a Mac: model.entityVersionHashesByName
/// let store = PersistentStoreDescription.sqlite("library.sqlite")
///     .appleVersionHashes(AppleVersionHashes(hashes))
/// ```
public struct AppleVersionHashes: Sendable, Hashable {
    /// The hash of each entity by the entity's name; each hash has 32 bytes.
    public let entities: [String: Data]

    /// Creates a value from the hashes by the names of entities.
    public init(_ entities: [String: Data]) { self.entities = entities }

    /// The SHA-512 digest of all names and hashes, which Core Data writes as
    /// `NSStoreModelVersionHashesDigest`.
    public var digest: String {
        let bytes = ordered.flatMap { name, hash in Array(name.utf8) + Array(hash) }
        return Data(SHA512.digest(of: bytes)).base64EncodedString()
    }

    /// The SHA-256 digest of all hashes, which Core Data writes as
    /// `NSStoreModelVersionChecksumKey`.
    public var checksum: String {
        Data(SHA256.digest(of: ordered.flatMap { Array($0.hash) })).base64EncodedString()
    }

    /// Returns why these hashes cannot belong to a model, in words; nil if they can.
    public func mistake(in model: ManagedObjectModel) -> String? {
        let names = Set(model.entities.map { StoredText($0.name) })
        let given = Set(entities.keys.map { StoredText($0) })
        if let missing = names.subtracting(given).min() { return "'\(missing)' has none" }
        if let unknown = given.subtracting(names).min() {
            return "the model has no entity '\(unknown)'"
        }
        let short = entities.filter { $0.value.count != 32 }.keys.min()
        return short.map { "that of '\($0)' has not 32 bytes" }
    }

    private var ordered: [(name: String, hash: Data)] {
        entities.sorted { StoredText($0.key) < StoredText($1.key) }.map { ($0.key, $0.value) }
    }
}
