public import DuramenModel

extension Collection where Element == PersistentStoreDescription {
    /// Throws if the migration of any of several stores would be refused, before the first one is
    /// changed.
    ///
    /// What only values decide is found when each store is opened.
    ///
    /// - Returns: Where the stores are that are to be migrated.
    /// - Throws: What the first such store throws when it is opened.
    @discardableResult
    public func checkMigrations(to model: ManagedObjectModel) throws(StoreError) -> [String] {
        if count < 2 { return [] }
        var pending: [String] = []
        for description in self where !description.isReadOnly {
            // A store that cannot be read says why when it is opened.
            guard let own = try? description.requiredSubmodel(of: model),
                let metadata = try? description.type.metadata(of: description.toBeMigrated),
                !metadata.modelChecksum.isEmpty,
                metadata.modelChecksum != own.versionChecksum,
                let source = try? description.keptModel(for: own)
            else { continue }
            try StoreMigration(description: description, target: own).check(from: source)
            pending.append(description.location)
        }
        return pending
    }
}
