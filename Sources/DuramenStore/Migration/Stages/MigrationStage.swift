import DuramenModel

/// A part of a migration through several versions of a model.
public protocol MigrationStage: Sendable {
    /// The name of the stage in plans, progress and errors; nil for none.
    var label: String? { get set }
}

/// Consecutive versions whose changes are inferred.
///
/// ```swift
/// LightweightMigrationStage(["4sXkPq…", "Qb9tLm…"])
/// ```
public struct LightweightMigrationStage: MigrationStage {
    /// The name of the stage in plans, progress and errors; nil for none.
    public var label: String?
    /// The versions, from the first to the last.
    public let versions: [ManagedObjectModelReference]

    /// The checksums of the versions, from the first to the last.
    public var versionChecksums: [String] { versions.map(\.versionChecksum) }

    /// Creates a stage from checksums of versions; see ``ManagedObjectModel/versionChecksum``.
    public init(_ versionChecksums: [String]) {
        versions = versionChecksums.map { ManagedObjectModelReference(versionChecksum: $0) }
    }

    /// Creates a stage from models of versions. A version needs its model if a change that skips it
    /// cannot be inferred.
    public init(_ models: [ManagedObjectModelReference]) { versions = models }
}

/// A change from one version to the next that needs code.
///
/// ```swift
/// var names = CustomMigrationStage(migratingFrom: first, to: second)
/// names.label = "Split names"
/// names.steps = [
///     .transform("Person", reading: ["name"], writing: ["firstName", "lastName"]) { old, new in
///         let name: String? = old["name"]
///         new["firstName"] = name?.split(separator: " ").first.map(String.init)
///     }
/// ]
/// ```
/// The migration works on a copy of the store. First it adds everything that the next version adds,
/// optional and without rules. Then it runs ``willMigrateHandler`` and ``steps``, changes the copy
/// to the next version, and runs ``didMigrateHandler``. At the end the copy replaces the store in
/// one step. If anything throws, the store is unchanged.
public struct CustomMigrationStage: MigrationStage {
    /// The name of the stage in plans, progress and errors; nil for none.
    public var label: String?
    /// The previous version.
    public let currentModel: ManagedObjectModelReference
    /// The next version.
    public let nextModel: ManagedObjectModelReference
    /// Runs first. Objects have the properties of both versions, and no classes: you read and set
    /// values by key. `manager.container` opens the copy.
    public var willMigrateHandler:
        (@Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void)?
    /// Runs last. The copy has the next version, and objects have the classes of its model.
    public var didMigrateHandler:
        (@Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void)?
    /// The operations between the two handlers, in order.
    public var steps: [MigrationStep] = []

    /// Describes the change from one version to the next one.
    public init(
        migratingFrom currentModel: ManagedObjectModelReference,
        to nextModel: ManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
    }

    /// The name of the stage in messages.
    var name: String { label ?? "\(currentModel.shortName) -> \(nextModel.shortName)" }
}
