import DuramenStore
import Foundation

/// A gate at which calls wait while it is closed.
// Sound: the condition guards what changes.
final class Gate: @unchecked Sendable {
    /// In seconds. The code that opens the gate may have to wait for a main actor that hundreds of
    /// tests share.
    private static let patience = 900.0

    private let condition = NSCondition()
    private var isClosed = false
    private var waiting = 0
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Returns when this many calls wait.
    func waitForWaiting(_ count: Int) async {
        await withCheckedContinuation { continuation in
            condition.withLock {
                if waiting >= count {
                    continuation.resume()
                } else {
                    watchers.append((count, continuation))
                }
            }
        }
    }

    func close() { condition.withLock { isClosed = true } }

    func open() {
        condition.withLock {
            isClosed = false
            condition.broadcast()
        }
    }

    /// - Throws: `.io` when the gate was not opened for a quarter of an hour.
    func pass() throws(StoreError) {
        let isOpen = condition.withLock {
            waiting += 1
            defer { waiting -= 1 }
            if isClosed {
                for watcher in watchers where watcher.count <= waiting {
                    watcher.continuation.resume()
                }
                watchers.removeAll { $0.count <= waiting }
            }
            let end = Date(timeIntervalSinceNow: Self.patience)
            while isClosed { if !condition.wait(until: end) { return false } }
            return true
        }
        if isOpen { return }
        throw StoreError(.io, "The plan held a call for a quarter of an hour; call release().")
    }
}
