private import Foundation

/// A lock for long work, such as a save, that only one thread at a time does.
///
/// A waiting thread sleeps at once. A ``Locked`` value makes it spin for a while first, which is
/// right for short work. With long work, sixteen writers would keep all processors busy.
package final class LongTurn: Sendable {
    private let lock = NSLock()

    /// Creates a lock.
    package init() {}

    /// Calls `body` once no other thread is at work.
    package func take<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}
