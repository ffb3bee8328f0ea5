public import DuramenModel
public import DuramenQuery

extension PersistentStoreDescription {
    /// Copies the store, which may be in use, as it is at one moment.
    ///
    /// ```swift
    /// let backup = try library.backUp(to: "backups/monday.sqlite", verifying: true)
    /// ```
    /// The engine copies one state, while others read and write. Large values in files are copied
    /// too. The copy is written under another name, is made durable and then gets its name, so that
    /// a process that is killed leaves no half of a backup. It has the identity of the store and
    /// its object IDs. So one process cannot have both open; ``verifyStore(model:cancellation:)``
    /// can read it.
    ///
    /// - Parameters:
    ///   - location: A free place on a local disk: a path of a file for SQLite, of a folder for
    ///     LMDB.
    ///   - verifying: Whether to verify the backup afterwards. One that is damaged or contradicts
    ///     itself is deleted.
    ///   - model: The model of the store for verifying; nil for the one that the store keeps.
    /// - Returns: The description of the backup.
    /// - Throws: ``StoreError`` `.invalidRequest` when something is at the place already;
    ///   `.storeMissing`, `.diskFull`, `.permissionDenied`, or `.folderMissing`; `.damagedFile` for
    ///   a backup that contradicts itself. Nothing is at the place then.
    /// - Complexity: Reads and writes the size of the store's files. A verification reads it three
    ///   times.
    @discardableResult
    public func backUp(
        to location: String, verifying: Bool = false, model: ManagedObjectModel? = nil
    ) throws(StoreError) -> PersistentStoreDescription {
        var backup = self
        backup.location = location
        try type.copy(readOnly(), to: backup)
        if verifying {
            do throws(StoreError) {
                try backup.checkIsSound(model)
            } catch {
                backup.discard()
                throw error
            }
        }
        return backup
    }

    private func checkIsSound(_ model: ManagedObjectModel?) throws(StoreError) {
        let findings = try verifyStore(model: model)
        guard let first = findings.first else { return }
        throw StoreError(
            .damagedFile,
            "The backup contradicts itself in \(findings.count) places, as the store probably does; the first "
                + "is: \(first). Verify the store.")
    }

    /// Looks for contradictions in a store that is in use, or in a backup of one.
    ///
    /// The store is opened for reading only. Nobody gets objects of it, so it may have the identity
    /// of a store that is open.
    ///
    /// - Parameters:
    ///   - model: The model of the store; nil for the one that the store keeps.
    ///   - cancellation: A flag that ends the work when it is raised.
    /// - Returns: The contradictions; an empty array for a sound store.
    /// - Throws: The store's errors when it cannot be opened; `.cancelled`.
    /// - Complexity: Reads everything three times.
    public func verifyStore(
        model: ManagedObjectModel? = nil, cancellation: CancellationFlag? = nil
    ) throws(StoreError) -> [VerificationFinding] {
        var description = readOnly()
        description.opening.isUnregistered = true
        let kept = if let model { model } else { try type.storedModel(of: description).model }
        let store = try description.open(model: kept)
        do throws(StoreError) {
            var verification = StoreVerification(of: store)
            verification.cancellation = cancellation
            let findings = try verification.run()
            try store.close()
            return findings
        } catch {
            try? store.close()
            throw error
        }
    }
}
