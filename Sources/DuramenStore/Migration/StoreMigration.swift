import DuramenModel

/// Brings a store to another version of its model before it is opened with that.
struct StoreMigration {
    let description: PersistentStoreDescription
    let target: ManagedObjectModel

    /// - Throws: Whatever keeps the store from being opened with the new model; it is as it was.
    func run() throws(StoreError) {
        let source = try description.keptModel(for: target)
        // Another process was faster.
        if source.model.versionChecksum == target.versionChecksum { return }
        let plan = try plan(from: source)
        do throws(StoreError) {
            try plan.execute()
        } catch {
            // Somebody else was faster.
            if ![.storeMigrated, .incompatibleModel].contains(error.code) { throw error }
        }
    }

    /// Makes sure that a migration would begin.
    func check(from source: StoredModel) throws(StoreError) {
        if source.model.versionChecksum == target.versionChecksum { return }
        try plan(from: source).check()
    }

    private func plan(from source: StoredModel) throws(StoreError) -> MigrationPlan {
        try checkDirection(from: source.model)
        let plan = try MigrationPlan(
            for: description, from: source, to: target, description.migrationPolicy)
        // Nothing of another application's store would be left.
        if let change = plan.inferred, change.rows.allSatisfy({ $0 == nil }) {
            throw StoreError(
                .incompatibleModel,
                "'\(description.location)' was written with a model that shares no entity with "
                    + "this one. Open it with the model of the application that wrote it.")
        }
        if description.isReadOnly || !description.shouldMigrateStoreAutomatically {
            throw StoreError(
                .migrationRequired,
                "'\(description.location)' is of another version of the model and "
                    + (description.isReadOnly
                        ? "is opened for reading only" : "is not migrated by itself")
                    + ". Open it for writing"
                    + (description.isReadOnly ? " once" : " without withoutMigration()")
                    + "; these are the changes:\n\(plan)")
        }
        return plan
    }

    /// Refuses to go back to a version that the store was migrated from.
    private func checkDirection(from source: ManagedObjectModel) throws(StoreError) {
        let migrations = try description.type.metadata(of: description.toBeMigrated).migrations
        guard let hop = migrations.last(where: { $0.source == target.versionChecksum }) else {
            return
        }
        let backup = description.migrationBackup(of: target)
        let hasBackup = (try? backup.type.metadata(of: backup)) != nil
        throw StoreError(
            .storeIsNewer,
            "'\(description.location)' was migrated from this version of the model to \(source.shortName) at "
                + "\(hop.date); use a program that has that version"
                + (hasBackup ? ", or put the copy '\(backup.location)' back." : "."))
    }
}
