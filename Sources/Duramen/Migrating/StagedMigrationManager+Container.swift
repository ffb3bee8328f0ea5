public import DuramenStore

extension StagedMigrationManager {
    /// The store that is migrated, for a handler; nil elsewhere.
    ///
    /// It opens a working copy with one store: before the steps with the properties of both
    /// versions and plain objects, afterwards with the next version and its classes. It is opened
    /// when it is first asked for and closed when the handler returns. When it cannot be opened, it
    /// is nil, and the migration ends with the reason.
    public var container: PersistentContainer? {
        access?.resource { description, model in
            try PersistentContainer.open(name: "migration", model: model, stores: [description])
        }
    }
}

extension PersistentContainer: StageResource {}
