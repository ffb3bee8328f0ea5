public import DuramenModel
public import DuramenStore

extension PersistentContainer {
    /// Copies a store of the container, as it is at one moment, while contexts and other processes
    /// read and write; see ``PersistentStoreDescription/backUp(to:verifying:model:)``.
    ///
    /// ```swift
    /// let backup = try await container.backup(to: "backups/monday.sqlite", verifying: true)
    /// ```
    /// Save contexts first: changes that are not saved are not in a backup.
    ///
    /// - Parameters:
    ///   - store: The store; nil for the first one.
    ///   - location: A free place for the backup.
    ///   - verifying: Whether to verify the backup afterwards. One that is damaged or
    ///     contradicts itself is deleted.
    /// - Returns: The description of the backup.
    /// - Throws: ``ContextError`` `.unknownStore`, or `.invalidRequest` when the container did not
    ///   open the store; ``StoreError``, with `.damagedFile` when the backup contradicts itself.
    @discardableResult
    public func backup(
        of store: StoreHandle? = nil, to location: String, verifying: Bool = false
    ) async throws -> PersistentStoreDescription {
        let coordinator = persistentStoreCoordinator
        guard let store = store ?? coordinator.stores.first else {
            throw ContextError(
                .unknownStore, "The container has no store any more; add the one to back up.")
        }
        let connection = try coordinator.requiredConnection(of: store)
        guard let description = connection.description else {
            throw ContextError(
                .invalidRequest,
                "The store was opened elsewhere, so that the container does not know its place. Open it with "
                    + "its description, or copy it with StoreConversion.")
        }
        let model = connection.model
        return try await offCooperativePool {
            try description.backUp(to: location, verifying: verifying, model: model)
        }
    }
}
