import DuramenFileStore
import DuramenStore

/// The files that an opening creates beside a store's own, and removes again when it fails.
struct AddedFiles {
    private let folder: StoreFolder
    private let files: [String]
    private let lock: String?

    /// Records which files are missing before the opening.
    init(_ folder: StoreFolder) {
        func isMissing(_ path: String) -> Bool {
            if case .missing = SystemCalls.kind(of: path) { return true }
            return false
        }
        self.folder = folder
        files = [folder.readers, folder.users, folder.mark].filter(isMissing)
        lock = [folder.path + ".lock"].first(where: isMissing)
    }

    /// Removes the new files, unless another user has the store open or waits to write.
    func takeAway() {
        if files.isEmpty, lock == nil { return }
        // Nobody opens the store while this lock is held.
        guard let writers = try? StoreFileLock(storePath: folder.path, timeoutSeconds: 0),
            (try? writers.acquire()) != nil
        else { return }
        defer { writers.release() }
        guard writers.isInPlace else { return }
        if isUsedElsewhere { return }
        // Nobody opens the store meanwhile, because that needs the lock.
        for file in files { _ = SystemCalls.removeFile(file) }
        // Last: processes that wait for this lock find it out of place, and create another one.
        if let lock { _ = SystemCalls.removeFile(lock) }
    }

    private var isUsedElsewhere: Bool {
        guard case .file = SystemCalls.kind(of: folder.users) else { return false }
        let users = SystemCalls.openLockFile(folder.users)
        if users < 0 { return true }
        defer { SystemCalls.closeFile(users) }
        return SystemCalls.setLock(users, .exclusive) != 0
    }
}
