import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// The file of a store: read whole, replaced whole, written under a lock that all processes share.
struct JSONFile: Sendable {
    let path: String
    private let timeoutSeconds: Double
    private let durability: Durability

    /// What one version of the file says.
    struct Content {
        var version: FileVersion
        var document: JSONDocument
    }

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        path = description.location
        timeoutSeconds = description.timeoutSeconds
        durability = description.durability
        // The operating system would take what stands before a null character for the whole path.
        if path.isEmpty || path.utf8.contains(0) {
            throw StoreError(
                .invalidRequest,
                "The path of the store is empty or has a null character; name a file, such as "
                    + "'json:library.json'.")
        }
        var isFolder: ObjCBool = false
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
            || !isFolder.boolValue
        {
            throw StoreError(
                .folderMissing,
                "The folder of '\(path)' does not exist; make it before the store is opened.")
        }
    }

    /// The file beside the store that its writers lock. It stays when the store is replaced, so its
    /// path also identifies the store among the open stores of this process.
    var lockPath: String { path + ".lock" }

    /// Opens the lock of the writers, which begins to hold with `withLock`.
    func lock() throws(StoreError) -> StoreFileLock {
        try StoreFileLock(storePath: path, timeoutSeconds: timeoutSeconds)
    }

    /// Reads the file; nil when there is none.
    ///
    /// Needs no lock: the file at a path is never changed, only replaced.
    func read() throws(StoreError) -> Content? {
        guard let (version, data) = try FileVersion.load(path) else { return nil }
        return Content(version: version, document: try JSONDocument(data, path: path))
    }

    /// Reads a file that must be there.
    func existing() throws(StoreError) -> Content {
        if let content = try read() { return content }
        throw StoreError(
            .storeMissing, "There is no store at '\(path)'; open it for writing to make it.")
    }

    /// Reads the file, which is made when there is none. Its archive of the model becomes this one.
    func existingOrNew(for model: ManagedObjectModel) throws(StoreError) -> Content {
        let archive = model.archive
        func isUpToDate(_ content: Content) -> Bool {
            let header = content.document.header
            return header.modelChecksum != model.versionChecksum || header.model == archive
        }
        if let content = try read(), isUpToDate(content) { return content }
        return try lock().withLock { () throws(StoreError) in
            // Somebody else may have made it while this process waited.
            let content = try read()
            if let content, isUpToDate(content) { return content }
            var document = content?.document ?? JSONDocument(header: JSONHeader(model: model))
            document.header.formatVersion = JSONHeader.formatVersion
            document.header.model = archive
            return Content(version: try replace(with: document), document: document)
        }
    }

    /// Replaces the file. The caller holds the lock.
    func replace(with document: JSONDocument) throws(StoreError) -> FileVersion {
        try FileVersion.replace(path, with: document.data(path: path), durability: durability)
    }

    /// Takes the file away. The caller holds the lock.
    func remove() throws(StoreError) { try FileVersion.remove(path) }
}
