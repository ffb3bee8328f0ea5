import DuramenFileStore
import DuramenStore

/// The standard output, written in blocks.
final class OutputStream {
    private static let blockBytes = 65_536
    private let isExact: Bool
    private var waiting: [UInt8] = []

    /// - Parameter isExact: Whether the text is a file's, which has escapes on a terminal only.
    ///   Otherwise all control characters but line feeds become escapes.
    init(isExact: Bool = false) { self.isExact = isExact && !SystemCalls.isTerminal(1) }

    /// Writes text; what is still waiting goes out with ``flush()``.
    func write(_ text: String) throws(StoreError) {
        waiting.append(contentsOf: (isExact ? text : PlainLine.lines(of: text)).utf8)
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
