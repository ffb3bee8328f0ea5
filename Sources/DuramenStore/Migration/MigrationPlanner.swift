public import DuramenModel

/// Finds out what it takes to open a store with another version of its model.
public struct MigrationPlanner: Sendable {
    private let model: ManagedObjectModel
    private let policy: MigrationPolicy

    /// Prepares to plan for a model.
    public init(model: ManagedObjectModel, policy: MigrationPolicy = MigrationPolicy()) {
        self.model = model
        self.policy = policy
    }

    /// Reads the model that a store keeps, which need not be open, and compares it.
    ///
    /// - Throws: `.sourceModelMissing` when the store keeps none; `.unknownVersion`,
    ///   `.modelReferenceNotFound` and `.invalidStages` when the stages of the description do not
    ///   lead from there to the model; what the store throws.
    /// - Complexity: Depends on the models only, not on what the store holds.
    public func plan(
        for description: PersistentStoreDescription
    ) throws(StoreError) -> MigrationPlan {
        let own = try description.requiredSubmodel(of: model)
        return try MigrationPlan(
            for: description, from: try description.keptModel(for: own), to: own, policy)
    }
}

extension PersistentStoreDescription {
    /// The same description, for whoever reads on the way to a migration.
    var toBeMigrated: PersistentStoreDescription {
        var copy = self
        copy.opening.isToBeMigrated = !isReadOnly
        return copy
    }

    /// The model that the store keeps, with the types of the model that it gets.
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
