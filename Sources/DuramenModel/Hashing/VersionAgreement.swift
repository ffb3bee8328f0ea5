/// What stores say of a model's version, in the words of one format.
struct VersionDigests: Sendable {
    let checksum: String
    let entityHashes: [String: String]
}

extension ManagedObjectModel {
    /// The entities that differ between this model and the one that a store was written with.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that the store says.
    ///   - hashes: The version hashes that it says, by entity name.
    ///   - omitsReferences: Whether the store is of a format whose hashes left out the uniqueness
    ///     constraints that name to-ones.
    /// - Returns: Their names; none when the model reads and writes the store as it is.
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
