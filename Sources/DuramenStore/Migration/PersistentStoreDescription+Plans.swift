public import DuramenModel

extension Collection where Element == PersistentStoreDescription {
    /// Checks that no migration of several stores would be refused, before the first store is
    /// changed.
    ///
    /// Stored values are not checked until each store is opened.
    ///
    /// - Returns: The locations of the stores to migrate; empty for less than two stores.
    /// - Throws: The error that opening the first refused store would throw.
    @discardableResult
    public func checkMigrations(to model: ManagedObjectModel) throws(StoreError) -> [String] {
        if count < 2 { return [] }
        var pending: [String] = []
        for description in self where !description.isReadOnly {
            // Opening an unreadable store later throws the reason.
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
