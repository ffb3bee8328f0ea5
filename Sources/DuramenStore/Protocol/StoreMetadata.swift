public import DuramenModel
public import Foundation

/// The information that a store keeps about itself.
public struct StoreMetadata: Sendable, Hashable {
    /// The store's identity, part of every object URI.
    public var storeUUID: UUID
    /// The name of the store's type, such as `sqlite`.
    public var storeType: String
    /// The checksum of the model that the store was written with.
    public var modelChecksum: String
    /// The version hash of each entity.
    public var entityVersionHashes: [String: String]
    /// The model's version identifiers.
    public var modelVersionIdentifiers: [String]
    /// The application's own metadata entries.
    public var userInfo: [String: StoredValue]
    /// The migrations of the store, the latest last.
    public var migrations: [StoreMigrationRecord] = []

    /// Creates the metadata of a store.
    public init(
        storeUUID: UUID, storeType: String, modelChecksum: String,
        entityVersionHashes: [String: String], modelVersionIdentifiers: [String] = [],
        userInfo: [String: StoredValue] = [:]
    ) {
        self.storeUUID = storeUUID
        self.storeType = storeType
        self.modelChecksum = modelChecksum
        self.entityVersionHashes = entityVersionHashes
        self.modelVersionIdentifiers = modelVersionIdentifiers
        self.userInfo = userInfo
    }

    /// Creates the metadata of a new store with a model.
    public init(storeUUID: UUID, storeType: String, model: ManagedObjectModel) {
        self.init(
            storeUUID: storeUUID, storeType: storeType, modelChecksum: model.versionChecksum,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.versionIdentifiers)
    }
}
