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
