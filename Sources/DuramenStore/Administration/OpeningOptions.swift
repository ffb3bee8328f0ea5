package import DuramenQuery

/// What tools and migrations ask of the opening of a store, and applications do not.
package struct OpeningOptions: Sendable {
    /// Whether values whose files are missing read as null, for whoever saves what is left of a
    /// store. Only a store that is opened for reading looks at it.
    package var missingValuesAreNull = false
    /// Ends a migration when it is raised.
    package var migrationCancellation: CancellationFlag?
    /// Whether the store is opened to get another version of its model, which may have more
    /// entities.
    package var isToBeMigrated = false
    /// 0 for a store, 1 for its working copy, 2 for the working copy of that. All have one identity
    /// and may be open at once.
    package var copyDepth: UInt8 = 0
}
