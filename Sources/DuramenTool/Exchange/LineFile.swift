import DuramenFileStore
import DuramenStore

/// A new file of lines, written in blocks.
final class LineFile {
    private static let blockBytes = 1 << 18
    private let path: String
    private let file: Int32
    private var waiting: [UInt8] = []

    init(_ path: String) throws(StoreError) {
        self.path = path
        file = SystemCalls.openNewFile(path)
        if file < 0 { throw Self.failure(-file, path) }
    }

    deinit { SystemCalls.closeFile(file) }

    /// Adds a line.
    func write(_ line: String) throws(StoreError) {
        waiting.append(contentsOf: line.utf8)
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count >= Self.blockBytes { try flush() }
    }

    /// Writes all lines to the disk.
    func finish() throws(StoreError) {
        try flush()
        let error = SystemCalls.synchronize(file)
        if error != 0 { throw Self.failure(error, path) }
    }

    private func flush() throws(StoreError) {
        let error = waiting.withUnsafeBytes { SystemCalls.write($0, to: file) }
        waiting.removeAll(keepingCapacity: true)
        if error != 0 { throw Self.failure(error, path) }
    }

    private static func failure(_ error: Int32, _ path: String) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error) ? .diskFull : .io,
            "'\(path)' cannot be written; check its folder and the space on the disk.",
            detail: SystemCalls.message(error))
    }
}
