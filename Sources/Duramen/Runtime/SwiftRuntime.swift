// The only file that uses a function of Swift's runtime for which the language has no syntax. A
// build with DURAMEN_PLAIN_RUNTIME does without it. Everything then still works, but some messages
// are left to the runtime.

#if DURAMEN_PLAIN_RUNTIME
extension Actor {
    /// Whether the caller runs on the actor; nil if that is not known.
    nonisolated var isCurrent: Bool? { nil }
}
#else
import CSwiftRuntime

extension Actor {
    /// Whether the caller runs on the actor; nil if that is not known.
    nonisolated var isCurrent: Bool? {
        #if os(Linux)
        // Sound: an executor is frozen as two words, an object and its table of functions.
        let executor = unsafeBitCast(unownedExecutor, to: (UInt, UInt).self)
        if swift_task_isCurrentExecutorWithFlags(executor.0, executor.1, 0) { return true }
        // Without such a table the actor schedules itself, and the runtime knows its state. Other
        // executors may know better than the runtime.
        return executor.1 == 0 ? false : nil
        #else
        return nil
        #endif
    }
}
#endif
