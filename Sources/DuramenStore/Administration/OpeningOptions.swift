public import DuramenQuery

/// Options for opening a store that tools and migrations set. Applications have no use for them.
public struct OpeningOptions: Sendable {
    /// Whether values whose files are missing read as null, for whoever saves what is left of a
    /// store. Only a store that is opened for reading looks at it.
    public var missingValuesAreNull = false
    /// Ends a migration when it is raised.
    public var migrationCancellation: CancellationFlag?
    /// Whether the store is opened to get another version of its model, which may have more
    /// entities.
    public var isToBeMigrated = false
    /// 0 for a store, 1 for its working copy, 2 for the working copy of that. All have one identity
    /// and may be open at once.
    public var copyDepth: UInt8 = 0
}
