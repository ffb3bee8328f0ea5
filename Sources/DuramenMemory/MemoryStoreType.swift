public import DuramenModel
public import DuramenStore

/// Stores in memory.
///
/// A store without a name is new each time it is opened, and ends with its last user. Stores with
/// equal names share their data until ``destroy(_:)`` or the end of the process.
public struct MemoryStoreType: PersistentStoreType {
    static let typeName = "memory"
    private static let named = Locked<[StoredText: MemoryDatabase]>([:])

    /// Creates the kind of store.
    public init() {}

    /// `memory`.
    public var name: String { Self.typeName }

    /// Opens a new store, or the existing store with this name.
    ///
    /// - Throws: `.incompatibleModel` when the store with this name has another model;
    ///   `.storeMissing` when it does not exist and must not be created.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let database = try database(description, model: model)
        return MemoryStore(database, model: model, description)
    }

    /// Returns the metadata of a named store.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try existing(description).metadata()
    }

    /// Returns the model with which a named store was last opened for writing; the parameters for
    /// types are ignored.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        StoredModel(model: try existing(description).keptModel)
    }

    /// Replaces the application's metadata entries of a named store.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        if description.isReadOnly {
            throw StoreError(.readOnly, "The description is for reading only; nothing was changed.")
        }
        try existing(description).setUserInfo(userInfo)
    }

    /// Deletes a named store. Users that have it open keep its data.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        let name = try requiredName(description)
        Self.named.withLock { $0[name] = nil }
    }

    /// Copies a named store to another name, in constant time.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        let target = try requiredName(destination)
        let copy = MemoryDatabase(copying: try existing(source))
        let isFree = Self.named.withLock { stores in
            if stores[target] != nil { return false }
            stores[target] = copy
            return true
        }
        if !isFree {
            throw StoreError(
                .invalidRequest,
                "There is a memory store '\(target)' already; destroy it or choose another name.")
        }
    }

    /// Returns the names of all stores.
    public func locations(beside location: String) -> [String] {
        Self.named.withLock { $0.keys.map(\.string) }.sorted()
    }

    /// Replaces a named store with a copy of another one. Open stores keep their data.
    public func replace(
        _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
    ) throws(StoreError) {
        let name = try requiredName(destination)
        let copy = MemoryDatabase(copying: try existing(source))
        Self.named.withLock { $0[name] = copy }
    }

    /// Replaces the store with this name by one of another version of the model.
    static func replace(_ location: String, by database: MemoryDatabase) throws(StoreError) {
        let name = StoredText(location)
        let isThere = named.withLock { stores in
            guard stores[name]?.uuid == database.uuid else { return false }
            stores[name] = database
            return true
        }
        if !isThere {
            throw StoreError(
                .storeMissing, "There is no memory store '\(location)' any more.")
        }
    }

    /// Returns the data of a named store.
    static func database(named name: String) throws(StoreError) -> MemoryDatabase {
        try MemoryStoreType().existing(.memory(name))
    }

    private func database(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> MemoryDatabase {
        if description.location.isEmpty { return MemoryDatabase(model: model) }
        if description.isReadOnly { return try checked(existing(description), model, description) }
        let name = StoredText(description.location)
        let database = Self.named.withLock { stores in
            let database = stores[name] ?? MemoryDatabase(model: model)
            stores[name] = database
            return database
        }
        let checked = try checked(database, model, description)
        checked.keep(model)
        return checked
    }

    // The checksum covers entities, properties and constraints, so models with equal checksums have
    // equal rows.
    private func checked(
        _ database: MemoryDatabase, _ model: ManagedObjectModel,
        _ description: PersistentStoreDescription
    ) throws(StoreError) -> MemoryDatabase {
        guard database.model.versionChecksum == model.versionChecksum else {
            throw StoreError(
                .incompatibleModel,
                "The memory store '\(description.location)' was made with "
                    + "another version of the model; "
                    + "destroy it or choose another name.")
        }
        return database
    }

    private func existing(
        _ description: PersistentStoreDescription
    ) throws(StoreError) -> MemoryDatabase {
        let name = try requiredName(description)
        guard let database = Self.named.withLock({ $0[name] }) else {
            throw StoreError(
                .storeMissing, "There is no memory store '\(name)'; open it for writing to make it."
            )
        }
        return database
    }

    private func requiredName(
        _ description: PersistentStoreDescription
    ) throws(StoreError) -> StoredText {
        if description.location.isEmpty {
            throw StoreError(
                .unsupported,
                "A memory store without a name can only be used while it is open; give it a name.")
        }
        return StoredText(description.location)
    }
}

extension PersistentStoreType where Self == MemoryStoreType {
    /// The kind of stores in memory.
    public static var memory: MemoryStoreType { MemoryStoreType() }
}

extension PersistentStoreDescription {
    /// Returns a description of a store in memory: a new one each time, or one shared in this
    /// process by its name.
    public static func memory(_ name: String = "") -> PersistentStoreDescription {
        PersistentStoreDescription(type: .memory, location: name)
    }
}
