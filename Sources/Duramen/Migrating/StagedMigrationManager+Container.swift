public import DuramenStore

extension StagedMigrationManager {
    /// The store under migration; nil outside of handlers.
    ///
    /// In `willMigrateHandler`, objects are plain and have the properties of both versions. In
    /// `didMigrateHandler`, they have the classes of the next version. The container opens at the
    /// first access and closes when the handler returns. If it cannot be opened, it is nil, and the
    /// migration throws the reason.
    public var container: PersistentContainer? {
        access?.resource { description, model in
            try PersistentContainer.open(name: "migration", model: model, stores: [description])
        }
    }
}

extension PersistentContainer: StageResource {}
