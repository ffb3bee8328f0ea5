import Foundation

/// Lines between a trial and its workers.
enum Output {
    /// Says a line to the parent. Each is one call of the system, so that it is out when the call
    /// returns.
    static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

    /// Writes a line to an open file; an end that nobody reads loses it.
    static func write(_ line: String, to file: Int32) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
