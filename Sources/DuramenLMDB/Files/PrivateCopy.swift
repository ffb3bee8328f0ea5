import DuramenFileStore
import DuramenStore
import Foundation

/// A copy of a store's files, for a user who may read but not write them.
///
/// The engine records readers in a file of the store, so such a user cannot read beside writers.
/// The copy shows one state and never changes.
/// ```
///   <folder for temporary files>/duramen-copies-<user>/
///     lock              held while copies are listed or begun
///     <UUID>/
///       owner.lock      held by the process that has the copy, so that others do not remove it
///       data.mdb …      the files of a store
/// ```
// Sound: set up before it is shared, and removed once, by the last user of its environment.
final class PrivateCopy: @unchecked Sendable {
    /// The files of the copy.
    let folder: StoreFolder
    /// The file that was copied. It is kept open, so that no other file gets its identity
    /// meanwhile.
    let original: OpenStoreFile
    private let file: FilePages
    private let owner: Int32

    /// How often the files are copied if others write to them meanwhile.
    static let tries = 3
    private static let pieceBytes = 1 << 20

    /// Copies a store, and removes copies of processes that have died.
    ///
    /// - Parameters:
    ///   - store: The store to copy. Other processes may write to it meanwhile.
    ///   - place: The folder for copies.
    ///   - afterPiece: Called after each copied piece of the data file, with its number in the
    ///     attempt.
    /// - Throws: `.storeBusy` when others wrote during each attempt; `.diskFull`,
    ///   `.permissionDenied`, `.io`; `.foreignFile` and `.damagedFile` when the files are not those
    ///   of a store.
    static func make(
        of store: StoreFolder, in place: String = FileManager.default.temporaryDirectory.path,
        afterPiece: (Int) -> Void = { _ in }
    ) throws(StoreError) -> PrivateCopy {
        guard
            let original = try OpenStoreFile.claim(
                store.data,
                prepare: { (_) throws(StoreError) in
                    try StructureCheck.checkHead(store)
                })
        else {
            throw StoreError(.storeMissing, "'\(store.path)' went away while it was being opened.")
        }
        let (folder, owner) = try begin(store, place)
        do throws(StoreError) {
            let file = try copy(store, to: folder, afterPiece)
            return PrivateCopy(folder, original, file, owner)
        } catch {
            remove(folder.path, owner)
            throw error
        }
    }

    private init(
        _ folder: StoreFolder, _ original: OpenStoreFile, _ file: FilePages, _ owner: Int32
    ) {
        self.folder = folder
        self.original = original
        self.file = file
        self.owner = owner
    }

    /// Removes the copy, which nobody has open.
    func remove() { Self.remove(folder.path, owner) }

    private static func remove(_ path: String, _ owner: Int32) {
        // A child made by fork has the lock too, so the folder is removed first.
        try? FileManager.default.removeItem(atPath: path)
        SystemCalls.closeFile(owner)
    }

    // MARK: - The folder

    /// Creates an empty folder that is marked as in use.
    private static func begin(
        _ store: StoreFolder, _ place: String
    ) throws(StoreError) -> (StoreFolder, owner: Int32) {
        let copies = place + "/duramen-copies-\(SystemCalls.user)"
        var error = SystemCalls.makeFolder(copies)
        if error != 0, error != SystemCalls.exists { throw failed(error, store, copies) }
        // In a public folder, another user may have created this folder.
        guard SystemCalls.isOwnFolder(copies) else {
            throw failed(SystemCalls.accessDenied, store, copies)
        }
        let lock = try StoreFileLock(storePath: copies + "/copies", timeoutSeconds: 60)
        return try lock.withLock { () throws(StoreError) in
            sweep(copies)
            let path = copies + "/" + UUID().uuidString
            error = SystemCalls.makeFolder(path)
            if error != 0 { throw failed(error, store, copies) }
            let owner = SystemCalls.openLockFile(path + ownerName)
            error = owner < 0 ? -owner : SystemCalls.setLock(owner, .exclusive)
            if error != 0 {
                remove(path, owner)
                throw failed(error, store, copies)
            }
            return (try StoreFolder(path), owner)
        }
    }

    private static let ownerName = "/owner.lock"

    /// Removes the copies of processes that ended without doing so. The caller holds the lock.
    private static func sweep(_ copies: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: copies)) ?? []
        for name in names where UUID(uuidString: name) != nil {
            let path = copies + "/" + name
            let owner = SystemCalls.openLockFile(path + ownerName)
            if owner < 0 { continue }
            if SystemCalls.setLock(owner, .exclusive) == 0 {
                remove(path, owner)
            } else {
                SystemCalls.closeFile(owner)
            }
        }
    }

    // MARK: - The files

    /// Copies all files, and repeats this if others write meanwhile.
    ///
    /// The engine never overwrites pages of its newest states, and each commit changes a head page.
    /// So if both head pages did not change, the copy has a complete state and its value files.
    private static func copy(
        _ store: StoreFolder, to folder: StoreFolder, _ afterPiece: (Int) -> Void
    ) throws(StoreError) -> FilePages {
        for _ in 0..<tries {
            let file = try open(store)
            let before = HeadPages(file)
            try copy(file, of: store, to: folder, afterPiece)
            try store.values.copy(to: folder.values, synchronizes: false)
            if let before, try before == HeadPages(open(store)) { return file }
            try? FileManager.default.removeItem(atPath: folder.values.path)
        }
        throw StoreError(
            .storeBusy,
            "'\(store.path)' was copied \(tries) times, because you may not write to it, and others wrote to it each "
                + "time. Try again later.")
    }

    private static func open(_ store: StoreFolder) throws(StoreError) -> FilePages {
        guard let file = FilePages(path: store.data) else {
            throw store.unreachable(SystemCalls.accessDenied)
        }
        return file
    }

    private static func copy(
        _ file: FilePages, of store: StoreFolder, to folder: StoreFolder,
        _ afterPiece: (Int) -> Void
    ) throws(StoreError) {
        _ = SystemCalls.removeFile(folder.data)
        let copy = SystemCalls.openNewFile(folder.data)
        if copy < 0 { throw failed(-copy, store, folder.parent) }
        defer { SystemCalls.closeFile(copy) }
        for (number, start) in stride(from: 0, to: file.byteCount, by: pieceBytes).enumerated() {
            let count = min(pieceBytes, file.byteCount - start)
            guard let bytes = file.bytes(at: start, count: count) else {
                throw store.unreachable(SystemCalls.ioError)
            }
            let error = SystemCalls.write(bytes.slice(0..<count), to: copy)
            if error != 0 { throw failed(error, store, folder.parent) }
            afterPiece(number)
        }
    }

    private static func failed(
        _ error: Int32, _ store: StoreFolder, _ copies: String
    ) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "You may not write to '\(store.path)', and it cannot be copied to '\(copies)' to be read there. Check "
                + "that folder and the space on its disk, or name another folder by the variable TMPDIR.",
            detail: SystemCalls.message(error))
    }
}

/// The bytes of both head pages, one of which each commit changes.
private struct HeadPages: Equatable {
    private let bytes: [[UInt8]]

    init?(_ file: FilePages) {
        guard let pages = MetaPage.both(of: file) else { return nil }
        let count = MetaPage.byteCount
        bytes = [0, pages[0].pageBytes].compactMap { place in
            file.bytes(at: place, count: count).map { Array($0.slice(0..<count)) }
        }
    }
}
