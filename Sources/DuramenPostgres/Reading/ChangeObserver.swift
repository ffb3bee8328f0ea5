import DuramenModel
import DuramenStore
import Foundation

/// Tells observers of saves, this process's own at once, and those of others by asking.
///
/// A thread of its own asks for the newest number four times a second while anybody observes, on a
/// connection of its own. After a lost connection, observers are always called: they may have
/// missed a save.
final class ChangeObserver: Sendable {
    private struct State {
        var bodies: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
        var isRunning = false
        var isEnded = false
    }

    private let core: StoreCore
    private let location: StoreLocation
    private let description: PersistentStoreDescription
    private let state = Locked(State())
    private let wake = WakeUp()

    private static let pauseSeconds = 0.25
    private static let pauseAfterFailureSeconds = 1.0

    init(core: StoreCore, _ location: StoreLocation, _ description: PersistentStoreDescription) {
        self.core = core
        self.location = location
        self.description = description
    }

    /// Starts to observe.
    func observe(_ body: @escaping @Sendable () -> Void) -> StoreObservation {
        let (number, starts) = state.withLock { state in
            state.nextNumber += 1
            state.bodies[state.nextNumber] = body
            defer { state.isRunning = true }
            return (state.nextNumber, !state.isRunning)
        }
        if starts { Thread.detachNewThread { [weak self] in Self.run { self } } }
        return StoreObservation { [weak self] in
            self?.state.withLock { $0.bodies[number] = nil }
        }
    }

    /// Tells observers of a save of this process.
    func noticeOwnSave() { wake.signal() }

    /// Ends all observations.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.bodies = [:]
        }
        wake.signal()
    }

    /// Asks until nobody observes.
    private static func run(_ observer: () -> ChangeObserver?) {
        var connection: Connection?
        var last: Int64?
        var nextQuestion = ContinuousClock.now
        while let current = observer() {
            if current.stopIfUnused() { return }
            // This process knows its own saves.
            if let known = last, let own = current.core.newest.number, own > known {
                last = own
                current.tell()
            }
            let left = (nextQuestion - .now) / .seconds(1)
            if left > 0 {
                current.wake.wait(seconds: left)
                continue
            }
            var pause = pauseSeconds
            do throws(StoreError) {
                let open: Connection
                if let known = connection, !known.isBroken {
                    open = known
                } else {
                    open = try current.location.connect(current.description)
                    // The saves that were missed are not known.
                    last = nil
                }
                connection = open
                let newest = try current.newest(open)
                if newest != last {
                    last = newest
                    current.tell()
                }
            } catch {
                connection?.close()
                connection = nil
                pause = pauseAfterFailureSeconds
            }
            nextQuestion = .now + .seconds(pause)
        }
    }

    private func stopIfUnused() -> Bool {
        state.withLock { state in
            if !state.isEnded, !state.bodies.isEmpty { return false }
            state.isRunning = false
            return true
        }
    }

    private func newest(_ connection: Connection) throws(StoreError) -> Int64 {
        do throws(PostgresFailure) {
            return try connection.run(
                core.statements.saves.state, [], RunLimits(deadline: core.replyDeadline)
            )
            .int64(0, 1) ?? 0
        } catch {
            throw core.error(error, "observe")
        }
    }

    private func tell() {
        let bodies = state.withLock { Array($0.bodies.values) }
        for body in bodies { body() }
    }
}

/// Lets a thread sleep for a while, or until it is needed.
final class WakeUp: Sendable {
    private let condition = NSCondition()
    private let isSignalled = Locked(false)

    /// Wakes the thread, now or when it is about to sleep.
    func signal() {
        condition.lock()
        isSignalled.withLock { $0 = true }
        condition.signal()
        condition.unlock()
    }

    /// Sleeps.
    func wait(seconds: Double) {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: seconds)
        while !isSignalled.withLock({ $0 }) {
            if !condition.wait(until: end) { break }
        }
        isSignalled.withLock { $0 = false }
    }
}
