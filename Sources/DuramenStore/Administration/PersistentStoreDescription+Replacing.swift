import DuramenModel

extension PersistentStoreDescription {
    /// Deletes the store's file, log and large values. The store must be closed. If the store does
    /// not exist, nothing happens.
    ///
    /// Backups that migrations have kept are not deleted; see ``migrationBackups``.
    ///
    /// - Throws: `.storeBusy` while a store in files is open; `.foreignFile` when the location is
    ///   not a store; `.readOnly`.
    public func destroyStore() throws(StoreError) {
        try checkWritable()
        try type.destroy(self)
    }

    /// Replaces the store with a copy of another store of its kind. The store must be closed; it
    /// may also be missing. A context or snapshot of it keeps it open.
    ///
    /// ```swift
    /// if let backup = library.migrationBackups.first { try library.replaceStore(with: backup) }
    /// ```
    /// The copy has the identity and the object URIs of the other store. A crash leaves either the
    /// old or the new store, in stores of Duramen.
    ///
    /// - Throws: `.storeBusy` while a store in files is open; `.storeMissing` when the other store
    ///   does not exist; `.readOnly`. `.invalidRequest` when both are the same store, or of
    ///   different kinds.
    public func replaceStore(with other: PersistentStoreDescription) throws(StoreError) {
        try checkWritable()
        guard StoredText(type.name) == StoredText(other.type.name),
            StoredText(location) != StoredText(other.location)
        else {
            throw StoreError(
                .invalidRequest,
                "'\(location)' cannot be replaced with '\(other.location)': give another store of the same kind, or "
                    + "copy it with StoreConversion.")
        }
        // A missing or unreadable source must not cost the destination.
        _ = try other.type.metadata(of: other)
        try type.replace(self, with: other)
    }

    private func checkWritable() throws(StoreError) {
        if isReadOnly {
            throw StoreError(.readOnly, "'\(location)' is described as for reading only.")
        }
    }
}

extension StoreError {
    /// Returns the error for replacing a store with itself.
    public static func isItself(_ path: String) -> StoreError {
        StoreError(.invalidRequest, "'\(path)' cannot be replaced with itself; name another store.")
    }
}
