import CSQLite
public import DuramenModel
public import DuramenStore

/// Stores in SQLite files, one file each, with the layout of Core Data.
public struct SQLiteStoreType: PersistentStoreType {
    static let typeName = "sqlite"

    /// Creates the kind of store.
    public init() {}

    /// The name `sqlite`.
    public var name: String { Self.typeName }

    /// Opens the store, and creates it if it does not exist; its folder must exist.
    ///
    /// - Throws: ``StoreError`` `.folderMissing`, `.storeMissing` (for reading only),
    ///   `.foreignFile`, `.damagedFile`, `.newerFormat`, `.incompatibleModel`, `.permissionDenied`,
    ///   `.storeBusy`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        try StoreOpening(description: description, model: model).open()
    }

    /// Returns the model that a store keeps, to open the store with it.
    ///
    /// Parts of a Core Data model that this version of the library cannot express are simplified or
    /// left out, and listed among the findings. Open such a store for reading only.
    ///
    /// - Parameters:
    ///   - description: Which store.
    ///   - codableTypes: The types of transformable attributes by their identifiers; in a Core Data
    ///     store by the class that the model names for the values. Other such attributes are
    ///     ``EncodedBytes``; in a Core Data store, binary data.
    ///   - transformers: The transformers for attributes that name one. An attribute without one
    ///     has keyed archives.
    /// - Throws: ``StoreError`` `.modelMissing` for a store without a model: those of Core Data
    ///   before 2015, and of early versions of Duramen. `.damagedFile` when it cannot be read;
    ///   `.unsupported` when no store can have the model.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType] = [],
        transformers: ValueTransformers = ValueTransformers()
    ) throws(StoreError) -> StoredModel {
        try KeptModel(
            connection: ClosedStore(description).connect(
                isReadOnly: !description.opening.isToBeMigrated)
        )
        .storedModel(codableTypes: codableTypes, transformers: transformers)
    }

    /// Returns a model of the columns of a Core Data store that keeps no model, as before 2015. Its
    /// findings list what is unknown.
    ///
    /// - Throws: ``StoreError`` `.modelMissing` for a store of Duramen, which needs a model with
    ///   its checksum.
    package func columnModel(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoredModel {
        try ColumnModel(ClosedStore(description).connect(isReadOnly: true)).storedModel()
    }

    /// Returns the metadata of a store that need not be open.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try MetadataTable(
            connection: ClosedStore(description).connect(
                isReadOnly: !description.opening.isToBeMigrated)
        ).metadata()
    }

    /// Replaces the application's metadata entries of a store that need not be open.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(description).setUserInfo(userInfo)
    }

    /// Replaces a closed store with a copy of another store, in one transaction of the engine.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(destination).replace(with: ClosedStore(source))
    }

    /// Deletes the store's files, except the lock file. If the store does not exist, nothing
    /// happens.
    ///
    /// - Throws: `.storeBusy` while the store is open anywhere; `.foreignFile` for other files.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try ClosedStore(description).destroy()
    }

    /// Copies a store, which may be in use, as it is at one moment.
    ///
    /// The copy keeps the store's identity, so that saved object IDs are valid for it. So a process
    /// cannot have both open: opening the second one fails with `.invalidRequest`.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(source).copy(to: destination.location)
    }
}

extension PersistentStoreType where Self == SQLiteStoreType {
    /// The kind of stores in SQLite files.
    public static var sqlite: SQLiteStoreType { SQLiteStoreType() }
}

extension PersistentStoreDescription {
    /// Returns a description of a store in the SQLite file at a path.
    public static func sqlite(_ path: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: SQLiteStoreType(), location: path)
    }
}
