// The one place that knows functions of Swift's runtime which the language has no words for. Built
// with DURAMEN_PLAIN_RUNTIME it does without them: everything works as well, counts references one
// by one, and leaves some messages to the runtime.

#if DURAMEN_PLAIN_RUNTIME
/// Counts references to an object.
@inline(__always)
func retain(_ object: UnsafeMutableRawPointer, count: UInt32) {
    // Sound: as the caller says.
    let object = Unmanaged<AnyObject>.fromOpaque(object)
    for _ in 0..<count { _ = object.retain() }
}

/// Gives references to an object back.
@inline(__always)
func release(_ object: UnsafeMutableRawPointer, count: UInt32) {
    // Sound: as the caller says.
    let object = Unmanaged<AnyObject>.fromOpaque(object)
    for _ in 0..<count { object.release() }
}

/// What collects references on this thread: nothing does.
var collectorOfThread: UnsafeMutableRawPointer? {
    @inline(__always) get { nil }
    @inline(__always) set {}
}

extension Actor {
    /// Whether the caller runs on the actor; nil when that is not known.
    nonisolated var isCurrent: Bool? { nil }
}
#else
import CSwiftRuntime

/// Counts references to an object at once, which costs as much as counting one.
@inline(__always)
func retain(_ object: UnsafeMutableRawPointer, count: UInt32) {
    _ = swift_retain_n(object, count)
}

/// Gives references to an object back at once, which costs as much as giving back one.
@inline(__always)
func release(_ object: UnsafeMutableRawPointer, count: UInt32) {
    swift_release_n(object, count)
}

/// What collects references on this thread; see ``CollectedReferences``.
var collectorOfThread: UnsafeMutableRawPointer? {
    @inline(__always) get { duramen_collector() }
    @inline(__always) set { duramen_set_collector(newValue) }
}

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
