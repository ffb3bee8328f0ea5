import Foundation
import Synchronization

/// Threads that work at the same time.
enum ThreadGroup {
    /// Runs a closure on several threads, and waits for all.
    ///
    /// - Parameter work: Is given the number of its thread, from 0.
    /// - Throws: The last error that a thread threw.
    static func run(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try work(number)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        group.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
