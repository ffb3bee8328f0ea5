import CSwiftRuntime

extension ContiguousArray where Element == ManagedObject {
    /// Calls `body` with every object, without counting references.
    ///
    /// A save passes several times over many objects and their values, which lie in memory far apart: each pass asks
    /// for those that it comes to next.
    @inline(__always)
    func forEachBorrowed(_ body: (ManagedObject) throws -> Void) rethrows {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Sound: as below.
            let elements = UnsafeRawPointer(start)
                .assumingMemoryBound(to: Unmanaged<ManagedObject>.self)
            for place in buffer.indices {
                if place + 24 < buffer.count {
                    duramen_prefetch_line(elements[place + 24].toOpaque())
                    elements[place + 12]._withUnsafeGuaranteedRef { $0.prefetchValues() }
                }
                try elements[place]._withUnsafeGuaranteedRef(body)
            }
        }
    }
}

extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with every element, without counting references.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Sound: `self` is a value of its own, which keeps the elements until the end of the walk; an
            // unmanaged reference has the layout of a counted one.
            let elements = UnsafeRawPointer(start)
                .assumingMemoryBound(to: Unmanaged<Element>.self)
            for place in buffer.indices { try elements[place]._withUnsafeGuaranteedRef(body) }
        }
    }
}
