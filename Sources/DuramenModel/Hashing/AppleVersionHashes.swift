public import Foundation

/// The version hashes that Core Data has computed of the entities of a model, with what Core Data
/// derives of them.
///
/// How Core Data computes a hash is not known here, so only a program on a Mac can tell it. A store
/// that has them is taken by Core Data for one of that model.
/// ```swift
/// // On a Mac: model.entityVersionHashesByName
/// let store = PersistentStoreDescription.sqlite("library.sqlite")
///     .appleVersionHashes(AppleVersionHashes(hashes))
/// ```
public struct AppleVersionHashes: Sendable, Hashable {
    /// The hash of each entity by the entity's name, of 32 bytes.
    public let entities: [String: Data]

    /// Takes the hashes by the names of entities.
    public init(_ entities: [String: Data]) { self.entities = entities }

    /// What Core Data writes as `NSStoreModelVersionHashesDigest`: the SHA-512 digest of all names
    /// and hashes, as the files of Core Data show.
    public var digest: String {
        let bytes = ordered.flatMap { name, hash in Array(name.utf8) + Array(hash) }
        return Data(SHA512.digest(of: bytes)).base64EncodedString()
    }

    /// What Core Data writes as `NSStoreModelVersionChecksumKey`: the SHA-256 digest of all hashes.
    public var checksum: String {
        Data(SHA256.digest(of: ordered.flatMap { Array($0.hash) })).base64EncodedString()
    }

    /// What keeps them from being those of a model; nil when they can be.
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
