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

extension ContiguousArray {
    /// Calls `body` with an element, without counting references; nil where there is none.
    @inline(__always)
    func withBorrowedElement<Object: AnyObject, Result>(
        at place: Int, _ body: (Object) throws -> Result
    ) rethrows -> Result? where Element == Object? {
        guard indices.contains(place) else { return nil }
        return try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return nil }
            // Sound: the place is within; an optional reference is the object's address, or null. `self` is a value of
            // its own, which keeps the element.
            let element = UnsafeRawPointer(start)
                .assumingMemoryBound(to: Unmanaged<Object>?.self)[place]
            guard let element else { return nil }
            return try element._withUnsafeGuaranteedRef(body)
        }
    }
}
