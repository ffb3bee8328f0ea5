// The one place that knows functions of the runtime which the language has no words for. Without them, with
// DURAMEN_PLAIN_REFERENCES, everything works as well, a little slower.

#if DURAMEN_PLAIN_REFERENCES
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
#endif
