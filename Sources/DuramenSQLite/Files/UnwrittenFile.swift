import DuramenFileStore
import DuramenStore

/// The state of a file that is read without locks at one moment.
///
/// If the index of a log can be neither created nor read, the engine reads the file alone, without
/// locks. Results are valid only if the file is unchanged afterwards. A writer first creates a log,
/// and writes it into the file later.
struct UnwrittenFile: Sendable {
    private let path: String
    private let stamp: SystemCalls.FileStamp

    // File times have a resolution of some milliseconds, or of seconds. A file that was written
    // within the last step could be written again without a new time.
    private static let stepNanoseconds: Int64 = 50_000_000
    private static let longStepNanoseconds: Int64 = 2_000_000_000

    /// Records the current state of the file.
    ///
    /// - Throws: `.storeBusy` while the file has a log, or if it was just written.
    init(_ path: String, timeoutSeconds: Double) throws(StoreError) {
        self.path = path
        let deadline = ContinuousClock.now + .seconds(min(max(timeoutSeconds, 0), 10))
        while true {
            guard case .missing = SystemCalls.kind(of: path + "-wal"),
                let stamp = SystemCalls.stamp(of: path)
            else { throw Self.busy(path) }
            let step =
                stamp.changed % 1_000_000_000 == 0
                ? Self.longStepNanoseconds : Self.stepNanoseconds
            let now = SystemCalls.now
            let age = Int64(now.seconds) * 1_000_000_000 + Int64(now.nanoseconds) - stamp.changed
            if abs(age) > step {
                self.stamp = stamp
                return
            }
            if ContinuousClock.now >= deadline { throw Self.busy(path) }
            SystemCalls.sleep(microseconds: 10_000)
        }
    }

    /// Whether the file is unchanged, so that all reads since are of one state.
    private var isUnchanged: Bool { SystemCalls.stamp(of: path) == stamp }

    /// Whether the file has the newest state, so that there is also no log.
    var isNewest: Bool {
        if case .missing = SystemCalls.kind(of: path + "-wal") { return isUnchanged }
        return false
    }

    /// Checks that all reads since are of one state.
    ///
    /// - Throws: `.storeBusy`
    func check() throws(StoreError) { if !isUnchanged { throw Self.busy(path) } }

    private static func busy(_ path: String) -> StoreError {
        StoreError(
            .storeBusy,
            "Another program writes to '\(path)', and this one may not use the log beside it. Try again once it is done, "
                + "or give this program the right to write to the folder.")
    }
}
