extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with every element, without reference counting.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Sound: `self` is a value of its own, which keeps the elements until the end of the
            // iteration. An unmanaged reference has the layout of a counted one.
            let elements = UnsafeBufferPointer(
                start: UnsafeRawPointer(start).assumingMemoryBound(to: Unmanaged<Element>.self),
                count: buffer.count)
            for element in elements { try Borrowed(element).with(body) }
        }
    }
}
