import DuramenFileStore
import DuramenStore

/// The files that an opening makes beside a store's own, and takes away again when it fails.
struct AddedFiles {
    private let folder: StoreFolder
    private let files: [String]
    private let lock: String?

    /// Notes what is not there before the opening.
    init(_ folder: StoreFolder) {
        func isMissing(_ path: String) -> Bool {
            if case .missing = SystemCalls.kind(of: path) { return true }
            return false
        }
        self.folder = folder
        files = [folder.readers, folder.users, folder.mark].filter(isMissing)
        lock = [folder.path + ".lock"].first(where: isMissing)
    }

    /// Takes away what is there now, unless somebody else has the store open or waits to write.
    func takeAway() {
        if files.isEmpty, lock == nil { return }
        // Nobody opens the store while this one holds the lock.
        guard let writers = try? StoreFileLock(storePath: folder.path, timeoutSeconds: 0),
            (try? writers.acquire()) != nil
        else { return }
        defer { writers.release() }
        guard writers.isInPlace else { return }
        if isUsedElsewhere { return }
        // Nobody comes meanwhile: who opens the store waits for the lock.
        for file in files { _ = SystemCalls.removeFile(file) }
        // Last: who waits for it finds it out of place, and makes another one.
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
