import CProcessor

extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with every element, without counting references.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        try forEachBorrowed(body) { _, _ in }
    }

    /// The same, with a step for all elements and an index before each call.
    // Sound: as below.
    @inline(__always)
    fileprivate func forEachBorrowed(
        _ body: (Element) throws -> Void,
        expecting expect: (UnsafeBufferPointer<Unmanaged<Element>>, Int) -> Void
    ) rethrows {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Sound: `self` is a value of its own, which keeps the elements until the end of the
            // walk; an unmanaged reference has the layout of a counted one.
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
    /// Calls `body` with every object, without counting references.
    ///
    /// A save passes several times over many objects and their values, which lie in memory far
    /// apart: each pass asks for those that it comes to next.
    @inline(__always)
    func forEachBorrowed(_ body: (ManagedObject) throws -> Void) rethrows {
        try forEachBorrowed(body) { objects, index in
            guard index + 24 < objects.count else { return }
            // Sound: the walk keeps them.
            duramen_prefetch(objects[index + 24].toOpaque(), 1)
            Borrowed(objects[index + 12]).with { $0.prefetchValues() }
        }
    }
}
