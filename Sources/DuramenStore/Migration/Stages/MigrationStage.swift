import DuramenModel

/// A part of the way from the versions of a model that a store may have to the present one.
public protocol MigrationStage: Sendable {
    /// What the stage does, for logs and errors; nil for nothing to say.
    var label: String? { get set }
}

/// Versions that follow each other, and whose changes say themselves what becomes of everything.
///
/// ```swift
/// LightweightMigrationStage(["4sXkPq…", "Qb9tLm…"])
/// ```
public struct LightweightMigrationStage: MigrationStage {
    /// What the stage does.
    public var label: String?
    /// The versions, from the first to the last.
    public let versions: [ManagedObjectModelReference]

    /// The checksums of the versions, from the first to the last.
    public var versionChecksums: [String] { versions.map(\.versionChecksum) }

    /// Names versions by their checksums; see ``ManagedObjectModel/versionChecksum``.
    public init(_ versionChecksums: [String]) {
        versions = versionChecksums.map { ManagedObjectModelReference(versionChecksum: $0) }
    }

    /// Names versions and brings their models, for those between which a store can stop only.
    public init(_ models: [ManagedObjectModelReference]) { versions = models }
}

/// The change from one version to the next one, of which the program does a part.
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
/// The work is done on a copy of the store, in this order: what the next version adds is there,
/// optional and without rules; ``willMigrateHandler``; ``steps``; the store has the next version;
/// ``didMigrateHandler``. The copy then takes the place of the store at once. When anything throws,
/// the store is as it was.
public struct CustomMigrationStage: MigrationStage {
    /// What the stage does.
    public var label: String?
    /// The version before.
    public let currentModel: ManagedObjectModelReference
    /// The version afterwards.
    public let nextModel: ManagedObjectModelReference
    /// Is called while objects have the properties of both versions; all are plain objects, read
    /// and set by key. `manager.container` opens the copy.
    public var willMigrateHandler:
        (@Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void)?
    /// Is called when the copy has the next version, with the classes of its model.
    public var didMigrateHandler:
        (@Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void)?
    /// What is done between the two, in this order.
    public var steps: [MigrationStep] = []

    /// Describes the change from one version to the next one.
    public init(
        migratingFrom currentModel: ManagedObjectModelReference,
        to nextModel: ManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
    }

    /// What to call the stage in messages.
    var name: String { label ?? "\(currentModel.shortName) -> \(nextModel.shortName)" }
}
