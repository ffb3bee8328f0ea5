public import DuramenModel

/// The actions that a migration may take without being asked.
///
/// ```swift
/// var policy = MigrationPolicy()
/// policy.fills["Book.pages"] = .integer(0)    // Mandatory in the new model, without a default.
/// policy.notRenamed = ["Book.remark"]         // Not the `note` that went in the same version.
/// let description = PersistentStoreDescription.sqlite("library.sqlite").migrating(policy)
/// ```
public struct MigrationPolicy: Sendable, Hashable {
    /// The data that a migration may lose.
    public enum Loss: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// What the new model plainly leaves out.
        case declared
        /// That, and what a property had that may only have been renamed, references to objects of
        /// an entity that a relationship does not lead to any more, and values that are not read.
        case all
    }

    /// When a copy of the store is kept as it was before.
    public enum Backup: String, Sendable, Hashable, CaseIterable {
        /// Never, except for stores of Core Data, which does not open them afterwards.
        case never
        /// When something may be lost that the new model does not plainly leave out.
        case whenLossy
        /// Always.
        case always
    }

    /// The data that the migration may lose.
    public var loss = Loss.declared
    /// When a copy of the store is kept as it was before; see
    /// ``PersistentStoreDescription/migrationBackups``.
    public var backup = Backup.whenLossy
    /// How long to wait for others who write to the store, in seconds, instead of the description's
    /// own time-out when that is shorter.
    public var timeoutSeconds = 600.0
    /// Whether all encoded values are decoded first, as the types that they have in the new model.
    /// A type that has changed its shape is met here then, and not when an object is read.
    public var checksEncodedValues = false
    /// Values for attributes that are mandatory now and have no default, by `Entity.attribute`.
    public var fills: [String: StoredValue] = [:]
    /// Properties and entities that are new and no other one renamed, by `Entity.property` or
    /// `Entity`.
    public var notRenamed: Set<String> = []

    /// Creates the default policy.
    public init() {}
}
