import DuramenFileStore
import DuramenStore

/// The standard output, written in blocks.
final class OutputStream {
    private static let blockBytes = 65_536
    private let isExact: Bool
    private var waiting: [UInt8] = []

    /// - Parameter isExact: Whether to print the text of a file unchanged, except on a terminal.
    ///   Otherwise all control characters except line feeds are escaped.
    init(isExact: Bool = false) { self.isExact = isExact && !SystemCalls.isTerminal(1) }

    /// Writes text into a buffer, which ``flush()`` prints.
    func write(_ text: String) throws(StoreError) {
        waiting.append(contentsOf: (isExact ? text : PlainLine.lines(of: text)).utf8)
        if waiting.count >= Self.blockBytes { try flush() }
    }

    /// Prints the buffered text.
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
