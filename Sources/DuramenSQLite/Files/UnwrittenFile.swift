import DuramenFileStore
import DuramenStore

/// A file in which the engine takes nobody for a writer, as it was at one moment.
///
/// Where the index of a log can be neither made nor read, the engine reads the file alone and looks
/// at no lock. What was read counts only when the file is afterwards what it was before. Whoever
/// writes has a log first, and writes it back into the file later.
struct UnwrittenFile: Sendable {
    private let path: String
    private let stamp: SystemCalls.FileStamp

    // Times are kept in steps of some milliseconds, or of seconds where they have no fractions. A
    // file that was written within the last step could be written again without another time.
    private static let stepNanoseconds: Int64 = 50_000_000
    private static let longStepNanoseconds: Int64 = 2_000_000_000

    /// Notes how the file is now.
    ///
    /// - Throws: `.storeBusy` while somebody has a log beside the file, or has just written it.
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

    /// Whether the file is as it was, so that everything read since belongs to one state.
    private var isUnchanged: Bool { SystemCalls.stamp(of: path) == stamp }

    /// Whether the file has the newest state: nobody has a log either.
    var isNewest: Bool {
        if case .missing = SystemCalls.kind(of: path + "-wal") { return isUnchanged }
        return false
    }

    /// Makes sure that what was read belongs to one state.
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
