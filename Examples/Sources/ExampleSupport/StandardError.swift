#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Standard error as a text stream, for messages that must not mix with a program's results.
public struct StandardError: TextOutputStream, Sendable {
    /// Creates the stream; all of them write to the same place.
    public init() {}

    /// Whether a terminal that can redraw a line is at the other end.
    public static var isTerminal: Bool {
        guard isatty(STDERR_FILENO) == 1 else { return false }
        // Safe: the pointer is compared at once, while nothing changes the environment.
        guard let terminal = unsafe getenv("TERM") else { return false }
        return unsafe strcmp(terminal, "dumb") != 0
    }

    /// Writes all of the text; what cannot be written is lost.
    public mutating func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Safe: the call reads `count` bytes of a buffer that is as long.
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite($0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}

private func systemWrite(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(STDERR_FILENO, bytes, count)
}
