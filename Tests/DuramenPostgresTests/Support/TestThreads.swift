import DuramenModel
import Foundation

/// Runs work on threads of its own, and waits for all of them.
///
/// - Throws: The first error.
func inThreads(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
    let box = ErrorBox()
    let done = DispatchGroup()
    for index in 0..<count {
        done.enter()
        Thread.detachNewThread {
            defer { done.leave() }
            do { try work(index) } catch { box.record(error) }
        }
    }
    done.wait()
    if let error = box.error { throw error }
}

/// Work on a thread of its own, whose result is waited for later.
final class Background<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let value = Result { try work() }
            result.withLock { $0 = value }
            done.signal()
        }
    }

    /// Whether the work has ended.
    var hasEnded: Bool { result.withLock { $0 != nil } }

    /// Waits for the result.
    func value() throws -> Value {
        done.wait()
        done.signal()
        guard let value = result.withLock({ $0 }) else { throw CancellationError() }
        return try value.get()
    }
}

private final class ErrorBox: Sendable {
    private let first = Locked<(any Error)?>(nil)

    var error: (any Error)? { first.withLock { $0 } }

    func record(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
}

/// A place where threads wait for each other.
final class Meeting: Sendable {
    private let arrived = Locked(0)
    private let count: Int
    private let gate = DispatchSemaphore(value: 0)

    init(_ count: Int) { self.count = count }

    /// Waits until all have come.
    func meet() {
        let isLast = arrived.withLock { arrived in
            arrived += 1
            return arrived == count
        }
        if isLast { for _ in 0..<count { gate.signal() } }
        gate.wait()
    }
}

/// Waits until something is true; gives up after a minute.
func eventually(_ claim: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if try claim() { return true }
        // Others need the processor for it to become true.
        usleep(5_000)
    }
    return false
}
