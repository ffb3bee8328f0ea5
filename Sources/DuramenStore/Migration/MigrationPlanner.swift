public import DuramenModel

/// Plans the migration of stores to a version of their model.
public struct MigrationPlanner: Sendable {
    private let model: ManagedObjectModel
    private let policy: MigrationPolicy

    /// Creates a planner for a model.
    public init(model: ManagedObjectModel, policy: MigrationPolicy = MigrationPolicy()) {
        self.model = model
        self.policy = policy
    }

    /// Compares the model that a store keeps with the new model. The store need not be open.
    ///
    /// - Throws: `.sourceModelMissing` when the store keeps no model. `.unknownVersion`,
    ///   `.modelReferenceNotFound` and `.invalidStages` when the stages of the description do not
    ///   connect the two versions; the store's errors.
    /// - Complexity: Depends on the models only, not on the store's content.
    public func plan(
        for description: PersistentStoreDescription
    ) throws(StoreError) -> MigrationPlan {
        let own = try description.requiredSubmodel(of: model)
        return try MigrationPlan(
            for: description, from: try description.keptModel(for: own), to: own, policy)
    }
}

extension PersistentStoreDescription {
    /// This description, for reading a store that will be migrated.
    var toBeMigrated: PersistentStoreDescription {
        var copy = self
        copy.opening.isToBeMigrated = !isReadOnly
        return copy
    }

    /// Returns the model that the store keeps, with the types of the new model.
    func keptModel(for target: ManagedObjectModel) throws(StoreError) -> StoredModel {
        do throws(StoreError) {
            return try type.storedModel(
                of: toBeMigrated, codableTypes: target.codableTypes,
                transformers: target.transformers)
        } catch {
            guard error.code == .modelMissing else { throw error }
            throw StoreError(
                .sourceModelMissing,
                "'\(location)' is of another version of the model and keeps no model. An earlier "
                    + "release of the library wrote it, or Core Data before 2015. Open it once for writing with the model that it was "
                    + "written with; then it can be migrated.")
        }
    }
}
