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
///     checked      what data.mdb looked like when its last user left it in order
///     values/      large values, each in a file
///   quakes.lmdb.lock   held by whoever writes
///   quakes.lmdb.new/   a store that is being made or compacted
/// ```
struct StoreFolder {
    private let place: StorePath

    /// - Throws: `.invalidRequest` for a path that cannot be one.
    init(_ path: String) throws(StoreError) {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        place = try StorePath(path, example: "a folder, such as 'lmdb:library.lmdb'")
    }

    var path: String { place.path }
    /// The folder in which the store's own folder is.
    var parent: String { place.parent }

    var data: String { path + "/data.mdb" }
    var readers: String { path + "/lock.mdb" }
    var users: String { path + "/users.lock" }
    /// The files by which processes know of each other's readers, and of each other.
    var companions: [FileIdentity?] { [FileIdentity(path: readers), FileIdentity(path: users)] }
    var mark: String { path + "/checked" }
    /// Where large values are.
    var values: ExternalValueFolder { ExternalValueFolder(in: path, "values") }
    /// Where a store is made, to be renamed when it is whole.
    var workshop: String { path + ".new" }

    enum Content {
        case missing
        case emptyFolder
        case store
    }

    /// What is at the path.
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

    /// Whether this user may not write to the files in which readers are noted, so that it cannot
    /// read them beside others.
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

    /// The error of a call that makes or changes something.
    func failed(_ error: Int32, _ action: String) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "Cannot \(action) '\(path)'; check the folder's mode and space.",
            detail: SystemCalls.message(error))
    }

    /// The engine maps its table of readers, and a page of it that finds no room on the disk would
    /// end the process; so it gets its space before.
    func reserveReaders() throws(StoreError) {
        let error = SystemCalls.reserve(Self.readersBytes, of: readers)
        if error != 0 { throw failed(error, "make the table of readers of") }
    }

    // The head of two cache lines and one line for each reader, in whole pages.
    private static let readersBytes = (Int(Environment.readerLimit) * 64 + 192 + 4_095) & ~4_095

    /// Takes away what a process left that died while it made a store. The caller holds the lock of
    /// all writers.
    ///
    /// - Throws: `.foreignFile` when something else is in the way, which may be a store of that
    ///   name.
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

    /// Takes away what is left of a working copy, whole or without its data, which nobody uses.
    func clearLeftover() {
        try? clearWorkshop()
        if case .folder = SystemCalls.kind(of: path) { try? remove() }
        let lock = path + ".lock"
        if case .file = SystemCalls.kind(of: lock) { _ = SystemCalls.removeFile(lock) }
    }

    /// Takes away the files that a store consists of, and the folder.
    func remove() throws(StoreError) {
        // Without its data the folder would be no store, and nobody would come back for the rest.
        try values.remove()
        for file in [mark, mark + ".new", data, readers, users] {
            let error = SystemCalls.removeFile(file)
            if error != 0, error != SystemCalls.noEntry { throw failed(error, "remove") }
        }
        let error = SystemCalls.removeFolder(path)
        if error != 0, error != SystemCalls.noEntry { throw failed(error, "remove") }
    }
}
