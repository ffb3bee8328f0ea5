private import Foundation

/// Work of which one thread at a time does some, and which takes long, as a save does.
///
/// Who waits sleeps at once. A ``Locked`` value is tried again and again for a while before, which
/// is right where it is held for a moment: sixteen writers would keep all processors busy so.
package final class LongTurn: Sendable {
    private let lock = NSLock()

    package init() {}

    /// Calls `body` once nobody else is at work.
    package func take<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}
