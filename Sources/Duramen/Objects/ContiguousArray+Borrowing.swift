import CProcessor

extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with every element, without reference counting.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        try forEachBorrowed(body) { _, _ in }
    }

    /// Calls `body` with every element, and `expect` with all elements and an index before each.
    // Sound: as below.
    @inline(__always)
    fileprivate func forEachBorrowed(
        _ body: (Element) throws -> Void,
        expecting expect: (UnsafeBufferPointer<Unmanaged<Element>>, Int) -> Void
    ) rethrows {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Sound: `self` is a value of its own, which keeps the elements until the end of the
            // iteration. An unmanaged reference has the layout of a counted one.
            let elements = UnsafeBufferPointer(
                start: UnsafeRawPointer(start).assumingMemoryBound(to: Unmanaged<Element>.self),
                count: buffer.count)
            for index in elements.indices {
                expect(elements, index)
                try Borrowed(elements[index]).with(body)
            }
        }
    }
}

extension ContiguousArray where Element == ManagedObject {
    /// Calls `body` with every object, without reference counting.
    ///
    /// A save iterates several times over many objects, whose values are far apart in memory. So
    /// each iteration prefetches the values that it needs next.
    @inline(__always)
    func forEachBorrowed(_ body: (ManagedObject) throws -> Void) rethrows {
        try forEachBorrowed(body) { objects, index in
            guard index + 24 < objects.count else { return }
            // Sound: the iteration keeps them.
            duramen_prefetch(objects[index + 24].toOpaque(), 1)
            Borrowed(objects[index + 12]).with { $0.prefetchValues() }
        }
    }
}
