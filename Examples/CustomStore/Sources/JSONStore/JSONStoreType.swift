import DuramenFileStore
public import DuramenModel
public import DuramenStore
import Foundation

/// Stores in JSON files: each is one file, read whole, and replaced whole by each save.
///
/// For small data that people want to read. A save costs what the whole store costs to write.
public struct JSONStoreType: PersistentStoreType {
    static let typeName = "json"

    /// Names the kind.
    public init() {}

    /// `json`
    public var name: String { Self.typeName }

    /// Opens the store, which is made when it does not exist; its folder must exist.
    ///
    /// - Throws: ``StoreError`` `.folderMissing`, `.storeMissing` (for reading only),
    ///   `.foreignFile`, `.damagedFile`, `.newerFormat`, `.incompatibleModel`, `.permissionDenied`,
    ///   `.storeBusy`.
    public func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let file = try JSONFile(description)
        let content =
            try description.isReadOnly ? file.existing() : file.existingOrNew(for: model)
        return try JSONStore(file, content, model: model, description)
    }

    /// Reads the metadata of a store that need not be open.
    public func metadata(
        of description: PersistentStoreDescription
    ) throws(StoreError) -> StoreMetadata {
        try JSONFile(description).existing().document.header.metadata
    }

    /// Reads the model that a store keeps.
    public func storedModel(
        of description: PersistentStoreDescription, codableTypes: [CodableType],
        transformers: ValueTransformers
    ) throws(StoreError) -> StoredModel {
        let file = try JSONFile(description)
        let archive = try file.existing().document.header.model
        return try StoredModel(
            archive: archive.map { Data($0.utf8) }, codableTypes: codableTypes,
            transformers: transformers, path: file.path)
    }

    /// Replaces the application's metadata entries of a store that need not be open.
    public func setUserInfo(
        _ userInfo: [String: StoredValue], of description: PersistentStoreDescription
    ) throws(StoreError) {
        let file = try JSONFile(description)
        if description.isReadOnly {
            throw StoreError(.readOnly, "'\(file.path)' is described as for reading only.")
        }
        try file.lock().withLock { () throws(StoreError) in
            var document = try file.existing().document
            document.header.userInfo = userInfo.filter { !$0.value.isNull }
            document.header.generation += 1
            _ = try file.replace(with: document)
        }
    }

    /// Deletes the store's file and keeps the lock file. If the store does not exist, nothing
    /// happens.
    ///
    /// - Throws: `.storeBusy` while this process has the store open; `.foreignFile` for other
    ///   files.
    public func destroy(_ description: PersistentStoreDescription) throws(StoreError) {
        let file = try JSONFile(description)
        do throws(StoreError) {
            if try file.read() == nil { return }
        } catch {
            // A damaged store may be taken away.
            if error.code != .damagedFile { throw error }
        }
        let lock = try file.lock()
        let claim = try OpenStoreFile.claimAlone(file.lockPath) {}
        try lock.withLock { () throws(StoreError) in try file.remove() }
        // Until here nobody in this process may open the store.
        withExtendedLifetime(claim) {}
    }

    /// Copies a store, which may be in use, as it is at one moment. The copy keeps the identity.
    public func copy(
        _ source: PersistentStoreDescription, to destination: PersistentStoreDescription
    ) throws(StoreError) {
        let document = try JSONFile(source).existing().document
        let target = try JSONFile(destination)
        try target.lock().withLock { () throws(StoreError) in
            if FileIdentity(path: target.path) != nil {
                throw StoreError(
                    .invalidRequest,
                    "Something is at '\(target.path)' already; name a free path.")
            }
            _ = try target.replace(with: document)
        }
    }
}

extension PersistentStoreType where Self == JSONStoreType {
    /// Stores in JSON files.
    public static var json: JSONStoreType { JSONStoreType() }
}

extension PersistentStoreDescription {
    /// A store in the JSON file at a path.
    public static func json(_ path: String) -> PersistentStoreDescription {
        PersistentStoreDescription(type: .json, location: path)
    }
}
