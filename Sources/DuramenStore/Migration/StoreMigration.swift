import DuramenModel

/// Migrates a store to another version of its model before it is opened.
struct StoreMigration {
    let description: PersistentStoreDescription
    let target: ManagedObjectModel

    /// - Throws: Any error that prevents opening the store with the new model; the store is not
    ///   changed.
    func run() throws(StoreError) {
        let source = try description.keptModel(for: target)
        // Another process was faster.
        if source.model.versionChecksum == target.versionChecksum { return }
        let plan = try plan(from: source)
        do throws(StoreError) {
            try plan.execute()
        } catch {
            // A server has roles that may use a store, and not change its tables.
            if error.code == .permissionDenied, description.type is any ScriptedStoreType {
                throw StoreError(
                    .migrationRequired,
                    "'\(description.location)' is of another version of the model, and may not be migrated: "
                        + "\(error.message) Or let its owner migrate it; these are the changes:\n\(plan)",
                    detail: error.detail)
            }
            // Another process was faster.
            if ![.storeMigrated, .incompatibleModel].contains(error.code) { throw error }
        }
    }

    /// Checks that a migration would not be refused.
    func check(from source: StoredModel) throws(StoreError) {
        if source.model.versionChecksum == target.versionChecksum { return }
        try plan(from: source).check()
    }

    private func plan(from source: StoredModel) throws(StoreError) -> MigrationPlan {
        try checkDirection(from: source.model)
        let plan = try MigrationPlan(
            for: description, from: source, to: target, description.migrationPolicy)
        // Nothing would be left of another application's store.
        if let change = plan.inferred, change.rows.allSatisfy({ $0 == nil }) {
            throw StoreError(
                .incompatibleModel,
                "'\(description.location)' was written with another model, which has no entity in common with "
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

    /// Throws an error if the store was already migrated from the target version.
    private func checkDirection(from source: ManagedObjectModel) throws(StoreError) {
        let migrations = try description.type.metadata(of: description.toBeMigrated).migrations
        guard let hop = migrations.last(where: { $0.source == target.versionChecksum }) else {
            return
        }
        let backup = description.migrationBackup(of: target)
        let hasBackup = (try? backup.type.metadata(of: backup)) != nil
        throw StoreError(
            .storeIsNewer,
            "'\(hop.program ?? "A program")' migrated '\(description.location)' from this version of the model to "
                + "\(source.shortName) at \(hop.date). Use a program that has that version"
                + (hasBackup ? ", or put the copy '\(backup.location)' back." : "."))
    }
}
