import DuramenFileStore
import DuramenStore
import Foundation

/// The files of a store.
///
/// ```
///   quakes.lmdb/
///     data.mdb     the engine's data
///     lock.mdb     the engine's table of readers
///     users.lock   held by every process that has the store open
///     checked      the state of data.mdb when its last user closed it in order
///     values/      large values, each in a file
///   quakes.lmdb.lock   held by the writer
///   quakes.lmdb.new/   a store that is being created or compacted
/// ```
struct StoreFolder {
    private let place: StorePath

    /// - Throws: `.invalidRequest` for an invalid path.
    init(_ path: String) throws(StoreError) {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        place = try StorePath(path, example: "a folder, such as 'lmdb:library.lmdb'")
    }

    var path: String { place.path }
    /// The parent of the store's folder.
    var parent: String { place.parent }

    var data: String { path + "/data.mdb" }
    var readers: String { path + "/lock.mdb" }
    var users: String { path + "/users.lock" }
    /// The files with which processes detect each other and their readers.
    var companions: [FileIdentity?] { [FileIdentity(path: readers), FileIdentity(path: users)] }
    var mark: String { path + "/checked" }
    /// The folder of large values.
    var values: ExternalValueFolder { ExternalValueFolder(in: path, "values") }
    /// The location at which a store is created, to be renamed when it is complete.
    var workshop: String { path + ".new" }

    enum Content {
        case missing
        case emptyFolder
        case store
    }

    /// Returns the kind of content at the path.
    ///
    /// - Throws: `.folderMissing`, `.foreignFile`, `.permissionDenied`.
    func inspect() throws(StoreError) -> Content {
        switch SystemCalls.kind(of: path) {
        case .missing:
            try place.checkParent()
            return .missing
        case .folder: return try inspectFolder()
        case .file, .other:
            throw StoreError(
                .foreignFile,
                "'\(path)' is not a folder, and an LMDB store is a folder. Name another path.")
        case .link: throw place.isLink
        case .failed(let error): throw unreachable(error)
        }
    }

    private func inspectFolder() throws(StoreError) -> Content {
        switch SystemCalls.kind(of: data) {
        case .file:
            // The engine would follow a link.
            for file in [readers, users] {
                if case .link = SystemCalls.kind(of: file) {
                    throw StoreError(
                        .foreignFile,
                        "'\(file)' is a symbolic link, which no file of a store is; take it away.")
                }
            }
            return .store
        case .failed(let error): throw unreachable(error)
        case .missing: break
        default:
            throw StoreError(
                .foreignFile, "'\(data)' is not a file, and so '\(path)' no LMDB store.")
        }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw unreachable(SystemCalls.accessDenied)
        }
        if names.isEmpty { return .emptyFolder }
        throw StoreError(
            .foreignFile,
            "The folder '\(path)' has other things in it and no store; name another path.")
    }

    /// Whether this user may not write to the files that record readers, so that it cannot read
    /// beside others.
    var isClosedToReaders: Bool {
        [readers, users].contains { file in
            if case .missing = SystemCalls.kind(of: file) {
                SystemCalls.isWritingDenied(path)
            } else {
                SystemCalls.isWritingDenied(file)
            }
        }
    }

    func unreachable(_ error: Int32) -> StoreError {
        StoreError(
            SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "'\(path)' cannot be reached; check the mode of it and its folder.",
            detail: SystemCalls.message(error))
    }

    /// Returns the error for a call that creates or changes something.
    func failed(_ error: Int32, _ action: String) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "Cannot \(action) '\(path)'; check the folder's mode and space.",
            detail: SystemCalls.message(error))
    }

    /// Reserves disk space for the engine's table of readers, which is mapped: without space for a
    /// page, the process would crash.
    func reserveReaders() throws(StoreError) {
        let error = SystemCalls.reserve(Self.readersBytes, of: readers)
        if error != 0 { throw failed(error, "make the table of readers of") }
    }

    // The header of two cache lines and one line for each reader, in whole pages.
    private static let readersBytes = (Int(Environment.readerLimit) * 64 + 192 + 4_095) & ~4_095

    /// Removes the leftovers of a process that died while it created a store. The caller holds the
    /// lock of all writers.
    ///
    /// - Throws: `.foreignFile` when something else is there, which may be a store with this name.
    func clearWorkshop() throws(StoreError) {
        switch SystemCalls.kind(of: workshop) {
        case .missing: return
        case .failed(let error): throw unreachable(error)
        case .folder:
            let left = try StoreFolder(workshop)
            let names = try? FileManager.default.contentsOfDirectory(atPath: workshop)
            if let names, names.allSatisfy({ left.isOfNewStore($0) }) { return try left.remove() }
        case .file, .link, .other: break
        }
        throw StoreError(
            .foreignFile,
            "Something is at '\(workshop)', where the store is made before it gets its name; move it away."
        )
    }

    private func isOfNewStore(_ name: String) -> Bool {
        [data, readers, values.path].contains("\(path)/\(name)")
    }

    /// Removes the leftovers of a working copy, complete or without its data, which nobody uses.
    func clearLeftover() {
        try? clearWorkshop()
        if case .folder = SystemCalls.kind(of: path) { try? remove() }
        let lock = path + ".lock"
        if case .file = SystemCalls.kind(of: lock) { _ = SystemCalls.removeFile(lock) }
    }

    /// Removes the files of a store, and the folder.
    func remove() throws(StoreError) {
        // The data is removed after the values: without it the folder would not be a store, and the
        // rest would stay forever.
        try values.remove()
        for file in [mark, mark + ".new", data, readers, users] {
            let error = SystemCalls.removeFile(file)
            if error != 0, error != SystemCalls.noEntry { throw failed(error, "remove") }
        }
        let error = SystemCalls.removeFolder(path)
        if error != 0, error != SystemCalls.noEntry { throw failed(error, "remove") }
    }
}
