public import DuramenModel

/// A kind of store: opens its stores, and administers stores that are not open.
public protocol PersistentStoreType: Sendable {
    /// The name before the colon in ``StoreTypes/description(for:)``, such as `sqlite`.
    var name: String { get }

    /// Other names that may be before the colon, such as `postgresql`. By default none.
    var otherNames: [String] { get }

    /// Returns the description of a store for the text after the colon in
    /// ``StoreTypes/description(for:)``. By default the text is the location.
    ///
    /// - Throws: `.invalidRequest` when the text says no place.
    func description(forLocation text: String) throws(StoreError) -> PersistentStoreDescription

    /// Opens the store, and creates it if it does not exist.
    func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore

    /// Returns the metadata of a store that need not be open.
    func metadata(of description: PersistentStoreDescription) throws(StoreError) -> StoreMetadata

    /// Returns the model that a store keeps. The store need not be open. The default implementation
    /// throws `.modelMissing`.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - codableTypes: The types of transformable attributes, by their identifiers.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``StoreError`` `.modelMissing` when the store keeps no model.
    func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel

    /// Replaces the application's metadata entries of a store that need not be open.
    func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError)

    /// Deletes all data of a store. If the store does not exist, nothing happens.
    func destroy(_ description: PersistentStoreDescription) throws(StoreError)

    /// Copies a store, which may be in use, as it is at one moment, with the engine's own method.
    ///
    /// - Throws: `.invalidRequest` when the destination exists already.
    func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError)

    /// Replaces a store, which must not be open, with a copy of another store. The replaced store
    /// need not exist.
    ///
    /// By default the copy is first made at `.replacing` beside the store; a crash may leave only
    /// this copy.
    /// - Throws: `.storeBusy` while the replaced store is open, for stores in files;
    ///   `.invalidRequest` when both are the same store.
    func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError)

    /// Returns the places beside a store where other stores may be, the newest first; by default
    /// the files of its folder.
    func locations(beside location: String) -> [String]
}

extension PersistentStoreType {
    /// Copies the source to a place beside the destination, destroys the destination, and copies
    /// the copy there.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        // Both locations may name one store.
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

    /// Returns the model that a store keeps; see ``storedModel(of:codableTypes:transformers:)``.
    public func storedModel(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoredModel {
        try storedModel(of: description, codableTypes: [], transformers: ValueTransformers())
    }
}

extension PersistentStoreType {
    /// None.
    public var otherNames: [String] { [] }

    /// Returns a description whose location is the text.
    public func description(forLocation text: String) throws(StoreError)
        -> PersistentStoreDescription
    {
        PersistentStoreDescription(type: self, location: text)
    }
}
