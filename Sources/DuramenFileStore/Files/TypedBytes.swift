public import DuramenStore

extension [UInt8] {
    /// Calls a closure with the bytes of this array, as `withUnsafeBytes` does, with typed errors.
    @inlinable @inline(__always) public func withBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var outcome: Result<R, StoreError>?
        withUnsafeBytes { bytes in
            do throws(StoreError) {
                outcome = .success(try body(bytes))
            } catch {
                outcome = .failure(error)
            }
        }
        // The closure runs exactly once.
        return try outcome!.get()
    }
}
