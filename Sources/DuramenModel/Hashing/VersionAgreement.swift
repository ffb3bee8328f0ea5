/// The digests of a model's version as a store records them, in the form of one store format.
struct VersionDigests: Sendable {
    let checksum: String
    let entityHashes: [String: String]
}

extension ManagedObjectModel {
    /// Returns the entities that differ between this model and the model that a store was written
    /// with.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that the store records.
    ///   - hashes: The version hashes that the store records, by entity name.
    ///   - omitsReferences: Whether the store's format left uniqueness constraints that name
    ///     to-ones out of the hashes.
    /// - Returns: The names of the entities; empty if the model can read and write the store
    ///   without a migration.
    public func entities(
        unlike checksum: String, _ hashes: [String: String], omitsReferences: Bool
    ) -> [String] {
        let present = VersionDigests(
            checksum: versionChecksum, entityHashes: entityVersionHashes)
        let wanted = omitsReferences ? digestsWithoutReferences ?? present : present
        if checksum == wanted.checksum { return [] }
        return wanted.entityHashes.keys.filter { hashes[$0] != wanted.entityHashes[$0] }
            + hashes.keys.filter { wanted.entityHashes[$0] == nil }
    }
}
