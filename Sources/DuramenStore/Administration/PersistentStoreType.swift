public import DuramenModel

/// A kind of store: how its stores are opened, and what can be done with one that is not open.
public protocol PersistentStoreType: Sendable {
    /// The name before the colon in ``StoreTypes/description(for:)``, such as `sqlite`.
    var name: String { get }

    /// Opens the store, which is made when it does not exist.
    func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore

    /// Reads the metadata of a store that need not be open.
    func metadata(of description: PersistentStoreDescription) throws(StoreError) -> StoreMetadata

    /// Returns the model that a store keeps. The store need not be open. By default throws
    /// `.modelMissing`.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes, by their identifiers.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``StoreError`` `.modelMissing` when the store keeps none.
    func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel

    /// Replaces the application's metadata entries of a store that need not be open.
    func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError)

    /// Deletes all data of a store. A missing store does not cause an error.
    func destroy(_ description: PersistentStoreDescription) throws(StoreError)

    /// Copies a store, which may be in use, as it is at one moment, by the engine's own means.
    ///
    /// - Throws: `.invalidRequest` when something is at the destination already.
    func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError)

    /// Replaces a store, which must not be open, with a copy of another one. The replaced store
    /// need not exist.
    ///
    /// By default a copy is made beside first; a crash may leave only that, as `.replacing`.
    /// - Throws: `.storeBusy` while the other one is open, for stores in files; `.invalidRequest`
    ///   when both are one.
    func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError)

    /// Where stores may be that are beside one, the newest first; by default the files of its
    /// folder.
    func locations(beside location: String) -> [String]
}

extension PersistentStoreType {
    /// Copies the one beside, takes the other away and copies the copy.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        // Both may be one under two names.
        var whole = destination
        whole.location += ".replacing"
        try destroy(whole)
        try copy(source, to: whole)
        try destroy(destination)
        try copy(whole, to: destination)
        whole.discard()
    }

    /// Throws `.modelMissing`.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        throw .modelMissing(description.location)
    }

    /// Reads the model that a store keeps; see ``storedModel(of:codableTypes:transformers:)``.
    public func storedModel(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoredModel {
        try storedModel(of: description, codableTypes: [], transformers: ValueTransformers())
    }
}
