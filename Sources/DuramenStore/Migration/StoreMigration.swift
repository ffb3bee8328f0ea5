import DuramenModel

/// Brings a store to another version of its model before it is opened with that.
struct StoreMigration {
    let description: PersistentStoreDescription
    let target: ManagedObjectModel

    /// - Parameter refusal: Why the store was not opened.
    /// - Throws: Whatever keeps the store from being opened with the new model; it is as it was.
    func run(after refusal: StoreError) throws(StoreError) {
        let source = try description.keptModel(for: target)
        // Another process was faster.
        if source.versionChecksum == target.versionChecksum { return }
        try checkDirection(from: source)
        let plan = MigrationPlan(
            change: SchemaChange(
                from: source, to: target, fills: description.migrationPolicy.fills),
            policy: description.migrationPolicy, location: description.location)
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
        try plan.check()
        try perform(plan)
    }

    /// Refuses to go back to a version that the store was migrated from.
    private func checkDirection(from source: ManagedObjectModel) throws(StoreError) {
        let migrations = try description.type.metadata(of: description).migrations
        guard let hop = migrations.last(where: { $0.source == target.versionChecksum }) else {
            return
        }
        throw StoreError(
            .storeIsNewer,
            "'\(description.location)' was migrated from this version of the model to \(source.shortName) at "
                + "\(hop.date); use a program that has that version.")
    }

    private func perform(_ plan: MigrationPlan) throws(StoreError) {
        var description = description
        description.keepsHistory = false
        description.isToBeMigrated = true
        let store = try description.type.open(description, model: plan.change.source)
        do throws(StoreError) {
            guard store.capabilities.contains(.schemaMigration),
                let migrating = store as? any SchemaMigratingStore
            else {
                throw StoreError(
                    .unsupported,
                    "The store '\(description.location)' is of another version of the model, and stores of its type "
                        + "cannot be migrated; a type that conforms to SchemaMigratingStore can.")
            }
            try migrating.migrate(plan.change)
        } catch {
            try? store.close()
            // Somebody else was faster.
            if error.code == .storeMigrated { return }
            throw error
        }
        try store.close()
    }
}
