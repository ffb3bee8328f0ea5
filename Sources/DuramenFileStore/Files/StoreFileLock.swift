public import DuramenStore

/// A lock that only one writer of all processes can hold: a file beside the store.
///
/// Every wait has a deadline. The lock belongs to this object and not to the process, so two stores
/// of one process exclude each other too. It is released when the process ends. The file is never
/// deleted while a store is open. After waiting for the lock to open a store, check ``isInPlace``.
/// Used by one task at a time.
public final class StoreFileLock: Sendable {
    private let file: Int32
    private let storePath: String
    private let timeoutSeconds: Double
    private let process = ProcessMark()

    /// Opens the lock file of a store, `<path>.lock`, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - storePath: The path of the store.
    ///   - timeoutSeconds: How long ``acquire()`` waits.
    /// - Throws: `.permissionDenied` or `.io` when the file cannot be opened.
    public init(storePath: String, timeoutSeconds: Double) throws(StoreError) {
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

    // A child made by fork has a copy of the parent's lock, and closing the file would release it.
    deinit { if !process.isInherited { SystemCalls.closeFile(file) } }

    /// Waits for the lock.
    ///
    /// - Throws: `.storeBusy` at the deadline.
    public func acquire() throws(StoreError) { try acquire(withinSeconds: timeoutSeconds) }

    /// Waits for the lock, with another time-out.
    ///
    /// - Throws: `.storeBusy` at the deadline; `.usedAfterFork`.
    public func acquire(withinSeconds timeoutSeconds: Double) throws(StoreError) {
        try process.check(storePath)
        var result = SystemCalls.setLock(file, .exclusive)
        if result == 0 { return }
        // A duration can be neither infinite nor NaN.
        let seconds = timeoutSeconds > 0 ? min(timeoutSeconds, 1_000_000) : 0
        let deadline = ContinuousClock.now + .seconds(seconds)
        var pause: UInt32 = 200
        while SystemCalls.isLockHeld(result) {
            if ContinuousClock.now >= deadline {
                throw StoreError(
                    .storeBusy,
                    "Another writer holds '\(storePath)' for longer than \(timeoutSeconds) s; wait "
                        + "for it, or give a longer time-out.")
            }
            // Random pauses, so that no waiter is always last.
            SystemCalls.sleep(microseconds: UInt32.random(in: pause / 2...pause))
            pause = min(pause * 2, 5_000)
            result = SystemCalls.setLock(file, .exclusive)
        }
        if result != 0 {
            throw StoreError(
                .io, "Cannot lock '\(storePath).lock'; check the file system.",
                detail: SystemCalls.message(result))
        }
    }

    /// Whether the lock file is still at its path: a failed opening removes the lock file that it
    /// created, while others may wait for it.
    public var isInPlace: Bool {
        FileIdentity(path: storePath + ".lock").map { $0 == SystemCalls.identity(of: file) }
            ?? false
    }

    /// Releases the lock.
    public func release() {
        if !process.isInherited { _ = SystemCalls.setLock(file, .none) }
    }

    /// Calls `body` with the lock held.
    public func withLock<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try acquire()
        defer { release() }
        return try body()
    }
}
