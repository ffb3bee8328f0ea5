import DuramenFileStore
import DuramenStore

/// Shows all processes that this one has the store open, and detects whether it is the only one.
// Sound: set up before it is shared, and ended once, by the last user of the environment.
final class Presence: @unchecked Sendable {
    private let folder: StoreFolder
    private let file: Int32
    /// Whether nobody else had the store open when this process opened it.
    let isFirst: Bool

    /// - Throws: `.permissionDenied` or `.io` when the lock file cannot be opened.
    init(_ folder: StoreFolder, isReadOnly: Bool) throws(StoreError) {
        self.folder = folder
        file = SystemCalls.openLockFile(folder.users)
        if file < 0 {
            // Nobody writes there, so nobody needs the lock.
            guard isReadOnly, SystemCalls.isReadOnlyDisk(-file) else {
                throw folder.failed(-file, "lock")
            }
            isFirst = true
            return
        }
        isFirst = SystemCalls.setLock(file, .exclusive) == 0
        let result = SystemCalls.setLock(file, .shared)
        if result != 0 {
            SystemCalls.closeFile(file)
            throw StoreError(
                .storeBusy, "'\(folder.path)' is being taken away or compacted; try again.",
                detail: SystemCalls.message(result))
        }
    }

    /// Whether nobody else has the store open; from then on nobody else can open it.
    func becomeOnly() -> Bool { SystemCalls.setLock(file, .exclusive) == 0 }

    /// Whether nobody else has the store open at the moment; this may change immediately.
    var isOnly: Bool {
        if file < 0 { return false }
        defer { _ = SystemCalls.setLock(file, .shared) }
        return becomeOnly()
    }

    /// Ends the presence. The lock is released before closing the file: a child made by fork also
    /// has the file open, and would keep the lock.
    func end() {
        if file < 0 { return }
        _ = SystemCalls.setLock(file, .none)
        SystemCalls.closeFile(file)
    }
}
