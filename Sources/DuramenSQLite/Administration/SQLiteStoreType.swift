import CSQLite
public import DuramenModel
public import DuramenStore

/// Stores in SQLite files, one file each, with the layout of Core Data.
public struct SQLiteStoreType: PersistentStoreType {
    static let typeName = "sqlite"

    /// Makes the type.
    public init() {}

    /// `sqlite`
    public var name: String { Self.typeName }

    /// Opens the store, which is made when it does not exist; its folder must exist.
    ///
    /// - Throws: ``StoreError`` `.folderMissing`, `.storeMissing` (for reading only),
    ///   `.foreignFile`, `.damagedFile`, `.newerFormat`, `.incompatibleModel`, `.permissionDenied`,
    ///   `.storeBusy`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        try StoreOpening(description: description, model: model).open()
    }

    /// Reads the model that a store keeps, to open the store with it.
    ///
    /// Of a store that Core Data wrote, what this version of the library cannot say is read as
    /// something simpler or left out, and listed among the findings; such a store should be opened
    /// for reading only.
    ///
    /// - Parameters:
    ///   - codableTypes: The types of transformable attributes by their identifiers; in a store of
    ///     Core Data's by the class that the model names for the values. Other such attributes are
    ///     ``EncodedBytes``; in a store of Core Data's, binary data.
    ///   - transformers: The transformers for attributes that name one. An attribute without one
    ///     has keyed archives.
    /// - Throws: ``StoreError`` `.modelMissing` for a store that keeps none: Core Data's of before
    ///   2015, and those that earlier versions of Duramen wrote; `.damagedFile` when it cannot be
    ///   read; `.unsupported` when no store takes it.
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

    /// Makes a model of the columns of a store that Core Data wrote and that keeps no model, as
    /// those of before 2015 do. Its findings say what it lacks.
    ///
    /// - Throws: ``StoreError`` `.modelMissing` for a store of Duramen's, whose model is known by
    ///   its checksum.
    package func columnModel(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoredModel {
        try ColumnModel(ClosedStore(description).connect(isReadOnly: true)).storedModel()
    }

    /// Reads the metadata of a store that need not be open.
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

    /// Replaces a closed store with a copy of another one, in one transaction of the engine.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(destination).replace(with: ClosedStore(source))
    }

    /// Deletes the store's files, except the lock file. A missing store does not cause an error.
    ///
    /// - Throws: `.storeBusy` while the store is open anywhere; `.foreignFile` for other files.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        try ClosedStore(description).destroy()
    }

    /// Copies a store, which may be in use, as it is at one moment.
    ///
    /// The copy keeps the store's identity, so that object IDs kept elsewhere are right for it. A
    /// process can therefore not have both open: the second is refused with `.invalidRequest`.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        try ClosedStore(source).copy(to: destination.location)
    }
}

extension PersistentStoreType where Self == SQLiteStoreType {
    /// Stores in SQLite files.
    public static var sqlite: SQLiteStoreType { SQLiteStoreType() }
}

extension PersistentStoreDescription {
    /// A store in the SQLite file at a path.
    public static func sqlite(_ path: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: SQLiteStoreType(), location: path)
    }
}
