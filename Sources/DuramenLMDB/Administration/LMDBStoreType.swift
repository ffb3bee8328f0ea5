public import DuramenModel
public import DuramenStore

/// Stores in LMDB environments, one folder each.
public struct LMDBStoreType: PersistentStoreType {
    static let typeName = "lmdb"

    /// Creates the kind of store.
    public init() {}

    /// The name `lmdb`.
    public var name: String { Self.typeName }

    /// Opens the store, and creates it if it does not exist; its parent folder must exist.
    ///
    /// - Throws: ``StoreError`` `.folderMissing`, `.storeMissing` (for reading only),
    ///   `.foreignFile`, `.damagedFile`, `.newerFormat`, `.incompatibleModel`, `.permissionDenied`,
    ///   `.storeBusy`, `.diskFull`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        try StoreOpening(description).open(model: model)
    }

    /// Returns the metadata of a store that need not be open.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try ClosedStore(description).metadata()
    }

    /// Returns the model that a store keeps. The store need not be open.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - codableTypes: The types of transformable attributes, by their identifiers. The values of
    ///     others are ``EncodedBytes``.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``StoreError`` `.modelMissing` for a store of an early version of Duramen;
    ///   `.damagedFile` when the model cannot be read.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType] = [],
        transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        try StoredModel(
            archive: ClosedStore(description).modelArchive(), codableTypes: codableTypes,
            transformers: transformers, path: description.location)
    }

    /// Replaces the application's metadata entries of a store that need not be open.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(description).setUserInfo(userInfo)
    }

    /// Replaces a closed store with a copy of another store, by renaming its file.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(destination).replace(with: ClosedStore(source))
    }

    /// Deletes the store's folder, but not the lock file beside it. If the store does not exist,
    /// nothing happens.
    ///
    /// - Throws: `.storeBusy` while the store is open anywhere; `.foreignFile` for other folders.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try ClosedStore(description).destroy()
    }

    /// Copies a store, which may be in use, as it is at one moment, without its free pages.
    ///
    /// The copy keeps the store's identity, so that saved object IDs are valid for it. So a process
    /// cannot have both open: opening the second one fails with `.invalidRequest`.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(source).copy(to: StoreFolder(destination.location))
    }
}

extension LMDBStoreType: SalvagingStoreType {
    /// Copies the records of a damaged file, around the pages that are damaged.
    public func copyReadableParts(
        of source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) -> [String] {
        try ClosedStore(source).copyReadableParts(to: StoreFolder(destination.location))
    }
}

extension PersistentStoreType where Self == LMDBStoreType {
    /// The kind of stores in LMDB environments.
    public static var lmdb: LMDBStoreType { LMDBStoreType() }
}

extension PersistentStoreDescription {
    /// Returns a description of a store in the LMDB environment at a path, which is a folder.
    public static func lmdb(_ path: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: LMDBStoreType(), location: path)
    }
}
