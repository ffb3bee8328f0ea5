import DuramenModel
import DuramenStore
import Foundation

/// Tells observers of saves, this process's own at once, and those of others by asking.
///
/// A thread of its own asks for the newest number while anybody observes, on a connection of its
/// own: four times a second, or where saves send notices, after a notice and every five seconds.
/// After a lost connection, observers are always called: they may have missed a save.
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
    /// The time between questions.
    private let pauseSeconds: Double
    private let state = Locked(State())
    private let wake = WakeUp()

    /// How long the thread waits for notices before it looks whether anybody observes.
    private static let listeningSeconds = 0.25
    private static let pauseAfterFailureSeconds = 1.0

    /// - Parameter pauseSeconds: The time between questions; nil for the usual time.
    init(
        core: StoreCore, _ location: StoreLocation, _ description: PersistentStoreDescription,
        pauseSeconds: Double? = nil
    ) {
        self.core = core
        self.location = location
        self.description = description
        self.pauseSeconds = pauseSeconds ?? (core.settings.notifies ? 5 : 0.25)
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
                if current.wait(seconds: left, on: connection, last) { nextQuestion = .now }
                continue
            }
            var pause = current.pauseSeconds
            do throws(StoreError) {
                let open: Connection
                if let known = connection, !known.isBroken {
                    open = known
                } else {
                    open = try current.connect()
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

    private func connect() throws(StoreError) -> Connection {
        let connection = try location.connect(description)
        if core.settings.notifies {
            do throws(PostgresFailure) {
                _ = try connection.run(
                    core.statements.saves.listen, [], RunLimits(deadline: core.replyDeadline))
            } catch {
                throw core.error(error, "observe")
            }
        }
        return connection
    }

    /// Waits until there may be something to do.
    ///
    /// - Parameters:
    ///   - seconds: The longest time.
    ///   - connection: The connection that may listen.
    ///   - last: The newest save that is known.
    /// - Returns: Whether the next question should be asked now.
    private func wait(seconds: Double, on connection: Connection?, _ last: Int64?) -> Bool {
        guard core.settings.notifies, let connection else {
            wake.wait(seconds: seconds)
            return false
        }
        let notices = connection.waitForNotices(seconds: min(seconds, Self.listeningSeconds))
        // Anybody can send a notice, so its number only says that it is not news.
        let known = max(last ?? 0, core.newest.number ?? 0)
        return connection.isBroken || notices.contains { Int64($0).map { $0 > known } ?? true }
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
