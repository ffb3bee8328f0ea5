public import DuramenQuery

/// Options for opening a store that tools and migrations set. Applications do not need them.
public struct OpeningOptions: Sendable {
    /// Whether values whose files are missing read as null, so that a tool can rescue the rest of a
    /// store. Only a store that is opened for reading uses this.
    public var missingValuesAreNull = false
    /// A flag that ends a migration when it is raised.
    public var migrationCancellation: CancellationFlag?
    /// Whether the store is opened to be migrated to another version of its model, which may have
    /// more entities.
    public var isToBeMigrated = false
    /// How far the store is from the original: 0 for a store, 1 for its working copy, 2 for a
    /// working copy of that copy. All have the same identity and may be open at once.
    public var copyDepth: UInt8 = 0
    /// Whether another store of the same identity may be open at once, because nobody has objects
    /// of this one. Only a store that is opened for reading uses this.
    public var isUnregistered = false
}
