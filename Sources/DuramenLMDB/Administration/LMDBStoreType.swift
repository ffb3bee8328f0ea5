public import DuramenModel
public import DuramenStore

/// Stores in LMDB environments, one folder each.
public struct LMDBStoreType: PersistentStoreType {
    static let typeName = "lmdb"

    /// Makes the type.
    public init() {}

    /// `lmdb`
    public var name: String { Self.typeName }

    /// Opens the store, which is made when it does not exist; the folder around it must exist.
    ///
    /// - Throws: ``StoreError`` `.folderMissing`, `.storeMissing` (for reading only),
    ///   `.foreignFile`, `.damagedFile`, `.newerFormat`, `.incompatibleModel`, `.permissionDenied`,
    ///   `.storeBusy`, `.diskFull`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        try StoreOpening(description).open(model: model)
    }

    /// Reads the metadata of a store that need not be open.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try ClosedStore(description).metadata()
    }

    /// Reads the model that a store keeps, which need not be open.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes, by their identifiers. The values of
    ///     others are ``EncodedBytes``.
    ///   - transformers: The transformers for attributes that name one.
    /// - Throws: ``StoreError`` `.modelMissing` for a store that an earlier version of Duramen
    ///   wrote; `.damagedFile` when it cannot be read.
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

    /// Replaces a closed store with a copy of another one, by renaming its file.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(destination).replace(with: ClosedStore(source))
    }

    /// Deletes the store's folder, but not the lock file beside it. A missing store does not cause
    /// an error.
    ///
    /// - Throws: `.storeBusy` while the store is open anywhere; `.foreignFile` for other folders.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try ClosedStore(description).destroy()
    }

    /// Copies a store, which may be in use, as it is at one moment, without its free pages.
    ///
    /// The copy keeps the store's identity, so that object IDs kept elsewhere are right for it. A
    /// process can therefore not have both open: the second is refused with `.invalidRequest`.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(source).copy(to: StoreFolder(destination.location))
    }
}

extension PersistentStoreType where Self == LMDBStoreType {
    /// Stores in LMDB environments.
    public static var lmdb: LMDBStoreType { LMDBStoreType() }
}

extension PersistentStoreDescription {
    /// A store in the LMDB environment at a path, which is a folder.
    public static func lmdb(_ path: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: LMDBStoreType(), location: path)
    }
}
