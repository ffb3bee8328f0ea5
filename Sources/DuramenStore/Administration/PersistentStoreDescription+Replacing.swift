import DuramenModel

extension PersistentStoreDescription {
    /// Deletes the store's file, log and large values. The store must be closed. If there is no
    /// store, nothing happens.
    ///
    /// Copies that migrations have kept stay; see ``migrationBackups``.
    ///
    /// - Throws: `.storeBusy` while a store in files is open; `.foreignFile` when something else is
    ///   there; `.readOnly`.
    public func destroyStore() throws(StoreError) {
        try checkWritable()
        try type.destroy(self)
    }

    /// Replaces the store with a copy of another one of its kind. The store must be closed; it may
    /// also be missing.
    ///
    /// ```swift
    /// if let backup = library.migrationBackups.first { try library.replaceStore(with: backup) }
    /// ```
    /// The copy has the identity of the other store, and its object URIs. A crash leaves the one or
    /// the other, in stores of Duramen.
    ///
    /// - Throws: `.storeBusy` while a store in files is open; `.storeMissing` when the other one
    ///   does not exist; `.invalidRequest` when both are one, or of two kinds; `.readOnly`.
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
        // What is not there is not worth a store.
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
    /// The error of a store that is to be replaced with itself.
    public static func isItself(_ path: String) -> StoreError {
        StoreError(.invalidRequest, "'\(path)' cannot be replaced with itself; name another store.")
    }
}
