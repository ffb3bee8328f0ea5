public import DuramenModel

/// The changes that an automatic migration may make.
///
/// ```swift
/// var policy = MigrationPolicy()
/// policy.fills["Book.pages"] = .integer(0)    // Mandatory in the new model, without a default.
/// policy.notRenamed = ["Book.remark"]         // Not the removed `note` under a new name.
/// let description = PersistentStoreDescription.sqlite("library.sqlite").migrating(policy)
/// ```
public struct MigrationPolicy: Sendable, Hashable {
    /// The kinds of data that a migration may lose.
    public enum Loss: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// Data of properties and entities that the new model obviously removes.
        case declared
        /// Also the values of a property that may have been renamed, and values that cannot be
        /// read. And references to objects of entities that a relationship no longer accepts.
        case all
    }

    /// When a migration keeps a backup of the store.
    public enum Backup: String, Sendable, Hashable, CaseIterable {
        /// Never, except for stores of Core Data, which does not open them afterwards.
        case never
        /// When data may be lost that the new model does not obviously remove.
        case whenLossy
        /// Always.
        case always
    }

    /// The data that a migration may lose.
    public var loss = Loss.declared
    /// When a backup of the store is kept; see ``PersistentStoreDescription/migrationBackups``.
    public var backup = Backup.whenLossy
    /// How long to wait for other writers of the store, in seconds, if this is longer than the
    /// description's own time-out.
    public var timeoutSeconds = 600.0
    /// Whether all encoded values are first decoded with their types in the new model. This detects
    /// a type with an incompatible encoding during the migration, rather than when an object is
    /// loaded.
    public var checksEncodedValues = false
    /// Values for attributes that are now mandatory and have no default, by `Entity.attribute`.
    public var fills: [String: StoredValue] = [:]
    /// New properties and entities that are not renamed ones, by `Entity.property` or `Entity`.
    public var notRenamed: Set<String> = []

    /// Creates the default policy.
    public init() {}
}
