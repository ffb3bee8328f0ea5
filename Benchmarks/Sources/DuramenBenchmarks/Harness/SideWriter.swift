import Foundation
import Synchronization

/// A thread that saves again and again, beside what is measured.
final class SideWriter: Sendable {
    private struct State {
        var isRunning = false
        var failure: (any Error)?
    }

    private let makeSave: @Sendable () throws -> (Int) throws -> Void
    private let state = Mutex(State())
    private let group = DispatchGroup()

    /// - Parameter makeSave: Makes a closure on the thread. The closure saves once, and receives
    ///   the number of saves before it.
    init(_ makeSave: @escaping @Sendable () throws -> (Int) throws -> Void) {
        self.makeSave = makeSave
    }

    /// Waits for the first save.
    func start() {
        state.withLock { $0.isRunning = true }
        let firstSave = DispatchSemaphore(value: 0)
        group.enter()
        Thread.detachNewThread { [self] in
            defer { group.leave() }
            do {
                let save = try makeSave()
                var count = 0
                while state.withLock(\.isRunning) {
                    try save(count)
                    count += 1
                    if count == 1 { firstSave.signal() }
                }
            } catch {
                state.withLock { $0.failure = error }
                firstSave.signal()
            }
        }
        firstSave.wait()
    }

    /// Waits for the end of the thread.
    ///
    /// - Throws: What its saves threw.
    func stop() throws {
        state.withLock { $0.isRunning = false }
        group.wait()
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
