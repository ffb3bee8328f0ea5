import DuramenModel

/// The stages that migrate stores of earlier versions to the current version.
///
/// ```swift
/// let manager = try StagedMigrationManager([
///     LightweightMigrationStage([first.versionChecksum, second.versionChecksum]), splitNames,
/// ])
/// let store = PersistentStoreDescription.sqlite("people.sqlite").migrating(with: manager)
/// ```
/// A stage may start with the version with which the previous stage ends. Changes between two
/// stages, and from the last stage to the current version, are inferred. A handler receives a
/// manager of its own, whose `container` opens the store under migration.
public final class StagedMigrationManager: Sendable {
    /// The stages, in their order.
    public let stages: [any MigrationStage]
    /// The version to which stores of unlisted versions are migrated first; nil for none.
    let entry: ManagedObjectModelReference?
    /// All versions in their order.
    let route: MigrationRoute
    /// The store under migration; nil outside of handlers.
    package let access: StageAccess?

    /// Creates a manager, and checks the stages.
    ///
    /// Steps between versions that are known only by their checksums are checked by the plan.
    ///
    /// - Throws: ``StoreError`` `.invalidStages`, which names the stage. Reasons: the stage returns
    ///   to an earlier version, or a reference has another checksum than its model. Or a step names
    ///   something that the versions of its stage do not have.
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

    /// Returns this manager with the version to which stores of unlisted versions are migrated
    /// first.
    ///
    /// The change from the store's version to this version is inferred.
    ///
    /// - Throws: `.invalidStages` if no stage has the version.
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

    /// Returns this manager for a handler.
    func with(_ access: StageAccess) -> StagedMigrationManager {
        StagedMigrationManager(stages, entry: entry, route, access: access)
    }
}
