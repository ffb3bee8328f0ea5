import DuramenStore

/// The standard output, written in blocks.
final class OutputStream {
    private static let blockBytes = 65_536
    private var waiting: [UInt8] = []

    /// Writes text; what is still waiting goes out with ``flush()``.
    func write(_ text: String) throws(StoreError) {
        waiting.append(contentsOf: text.utf8)
        if waiting.count >= Self.blockBytes { try flush() }
    }

    /// Writes what is waiting.
    func flush() throws(StoreError) {
        let error = waiting.withUnsafeBytes { SystemCalls.write($0, to: 1) }
        waiting.removeAll(keepingCapacity: true)
        if error != 0 {
            throw StoreError(
                .io, "The output cannot be written; look where it goes.",
                detail: SystemCalls.message(error))
        }
    }
}
