import DuramenStore

/// The lock that one writer at a time holds, among all processes: a file beside the store.
///
/// It gives every wait a deadline and keeps foreign checkpoints away from commits: SQLite before 3.51.3
/// can lose a log that one process resets while another one checkpoints. The file is never deleted.
final class StoreFileLock {
    private let file: Int32
    private let storePath: String
    private let timeoutSeconds: Double

    init(storePath: String, timeoutSeconds: Double) throws(StoreError) {
        self.storePath = storePath
        self.timeoutSeconds = timeoutSeconds
        file = SystemCalls.openLockFile(storePath + ".lock")
        if file < 0 {
            throw StoreError(
                SystemCalls.isPermission(-file) ? .permissionDenied : .io,
                "Cannot open the lock file '\(storePath).lock'; check the folder's mode.",
                detail: SystemCalls.message(-file))
        }
    }

    deinit { SystemCalls.closeFile(file) }

    /// Waits for the lock.
    ///
    /// - Throws: `.storeBusy` at the deadline.
    func acquire() throws(StoreError) { try acquire(withinSeconds: timeoutSeconds) }

    /// Waits for the lock, but not longer than a caller wants to.
    func acquire(withinSeconds timeoutSeconds: Double) throws(StoreError) {
        var result = SystemCalls.setLock(file, locked: true)
        if result == 0 { return }
        let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
        var pause: UInt32 = 200
        while SystemCalls.isLockHeld(result) {
            if ContinuousClock.now >= deadline {
                throw StoreError(
                    .storeBusy,
                    "Another writer holds '\(storePath)' for longer than \(timeoutSeconds) s; wait "
                        + "for it, or give a longer time-out.")
            }
            // Random pauses, so that no waiter is always late.
            SystemCalls.sleep(microseconds: UInt32.random(in: pause / 2...pause))
            pause = min(pause * 2, 5_000)
            result = SystemCalls.setLock(file, locked: true)
        }
        if result != 0 {
            throw StoreError(
                .io, "Cannot lock '\(storePath).lock'; check the file system.",
                detail: SystemCalls.message(result))
        }
    }

    func release() { _ = SystemCalls.setLock(file, locked: false) }

    /// Runs `body` with the lock held.
    func withLock<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try acquire()
        defer { release() }
        return try body()
    }
}
