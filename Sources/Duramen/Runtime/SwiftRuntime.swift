// The one place that knows a function of Swift's runtime which the language has no words for. Built
// with DURAMEN_PLAIN_RUNTIME it does without: everything works as well, and some messages are left
// to the runtime.

#if DURAMEN_PLAIN_RUNTIME
extension Actor {
    /// Whether the caller runs on the actor; nil when that is not known.
    nonisolated var isCurrent: Bool? { nil }
}
#else
import CSwiftRuntime

extension Actor {
    /// Whether the caller runs on the actor; nil when that is not known.
    nonisolated var isCurrent: Bool? {
        #if os(Linux)
        // Sound: an executor is frozen as two words, an object and its table of functions.
        let executor = unsafeBitCast(unownedExecutor, to: (UInt, UInt).self)
        if swift_task_isCurrentExecutorWithFlags(executor.0, executor.1, 0) { return true }
        // Without such a table the actor schedules itself, and the runtime knows all about it.
        // Other executors may know better than the runtime.
        return executor.1 == 0 ? false : nil
        #else
        return nil
        #endif
    }
}
#endif
