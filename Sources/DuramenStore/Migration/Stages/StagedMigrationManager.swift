import DuramenModel

/// The stages by which stores of earlier versions become stores of the present one.
///
/// ```swift
/// let manager = try StagedMigrationManager([
///     LightweightMigrationStage([first.versionChecksum, second.versionChecksum]), splitNames,
/// ])
/// let store = PersistentStoreDescription.sqlite("people.sqlite").migrating(with: manager)
/// ```
/// Stages follow each other; one may begin with the version with which the one before ends. What
/// lies between two stages, and between the last one and the present version, is inferred. A
/// handler gets a manager of its own, which knows the store that is migrated.
public final class StagedMigrationManager: Sendable {
    /// The stages, in their order.
    public let stages: [any MigrationStage]
    /// From where stores go on whose version is in no stage; nil for nowhere.
    let entry: ManagedObjectModelReference?
    /// All versions in their order.
    let route: MigrationRoute
    /// The store that is migrated; nil outside of handlers.
    package let access: StageAccess?

    /// Checks and keeps stages.
    ///
    /// - Throws: ``StoreError`` `.invalidStages`, which names the place, when stages do not follow
    ///   each other, two custom stages begin with one version, a reference has another checksum
    ///   than its model, or a step names what the two versions of its stage do not have. Steps
    ///   between versions that are known by their checksums only are checked by the plan.
    public convenience init(_ stages: [any MigrationStage]) throws(StoreError) {
        let route = try MigrationRoute(stages)
        try route.checkSteps()
        self.init(stages, entry: nil, route, access: nil)
    }

    private init(
        _ stages: [any MigrationStage], entry: ManagedObjectModelReference?,
        _ route: MigrationRoute, access: StageAccess?
    ) {
        self.stages = stages
        self.entry = entry
        self.route = route
        self.access = access
    }

    /// The same stages, by which stores of versions that are in none of them go on before a
    /// version: what makes theirs that one is inferred.
    ///
    /// - Throws: `.invalidStages` when no stage has the version.
    public func entering(
        before version: ManagedObjectModelReference
    ) throws(StoreError) -> StagedMigrationManager {
        guard route.versions.contains(version) else {
            throw StoreError(
                .invalidStages,
                "No stage has the version '\(version.shortName)' before which stores shall enter; name one that "
                    + "has.")
        }
        return StagedMigrationManager(stages, entry: version, route, access: nil)
    }

    /// The same stages, for a handler.
    func with(_ access: StageAccess) -> StagedMigrationManager {
        StagedMigrationManager(stages, entry: entry, route, access: access)
    }
}
