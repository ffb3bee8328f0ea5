import Dispatch
import DuramenModel
import DuramenStore

/// Connections of one store, each handed to one user at a time.
final class ConnectionPool: Sendable {
    private struct Idle {
        let connection: Connection
        /// When it is closed.
        let end: Deadline
    }

    private struct State {
        var idle: [Idle] = []
        var waiters: [Waiter] = []
        /// Idle ones, and those in use.
        var count = 0
        var fillNumber = 0
        var isClosed = false
        /// Whether a timer will close connections that nobody uses.
        var isTimed = false
    }

    private enum Decision {
        case use(Connection)
        case open(fillNumber: Int)
        case wait(Waiter)
        case closed
    }

    private let settings: ConnectionSettings
    private let limit: Int
    private let isForStates: Bool
    private let counters: StoreCounters?
    private let idleSeconds: Double
    private let check: @Sendable (Connection) throws(StoreError) -> Void
    private let endOverdue: @Sendable () -> Void
    private let state = Locked(State())
    private let mark = ProcessMark()

    /// Creates a pool without connections; they are opened when they are needed.
    ///
    /// - Parameters:
    ///   - settings: How connections are opened.
    ///   - limit: The largest number of connections.
    ///   - isForStates: Whether snapshots have the connections, or else saves.
    ///   - counters: Counts round trips.
    ///   - idleSeconds: After how long a connection that nobody uses is closed.
    ///   - endOverdue: Gives back the connections of overdue snapshots; called without a lock.
    ///   - check: Refuses a connection that was just opened, if the server is another one.
    init(
        _ settings: ConnectionSettings, limit: Int = 14, isForStates: Bool = true,
        counters: StoreCounters? = nil, idleSeconds: Double = 30,
        endOverdue: @escaping @Sendable () -> Void = {},
        check: @escaping @Sendable (Connection) throws(StoreError) -> Void = { _ in }
    ) {
        self.settings = settings
        self.limit = max(limit, 1)
        self.isForStates = isForStates
        self.counters = counters
        self.idleSeconds = idleSeconds
        self.check = check
        self.endOverdue = endOverdue
    }

    deinit { close() }

    /// The number of connections, idle or in use.
    var count: Int { state.withLock { $0.count } }

    /// The number of connections that nobody uses.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Takes a connection, or opens one; if there are as many as there may be, waits for one.
    ///
    /// - Throws: `.readersExhausted` if no snapshot gave one back in time, `.storeBusy` if no save
    ///   did, `.closed`, `.usedAfterFork`, and the errors of opening a connection.
    func take(within deadline: Deadline) throws(StoreError) -> Connection {
        try mark.check(settings.place.description)
        var hasEndedOverdue = false
        while true {
            closeExpired()
            switch decide(canWait: hasEndedOverdue) {
            case .use(let connection):
                if !connection.hasEndedUnused { return connection }
                discard(connection)
            case .open(let fillNumber): return try open(fillNumber, deadline)
            case .closed: throw closed
            case .wait(let waiter):
                if !hasEndedOverdue {
                    hasEndedOverdue = true
                    endOverdue()
                    continue
                }
                guard waiter.wait(until: deadline) || !withdraw(waiter) else { throw exhausted }
            }
        }
    }

    /// Gives a connection back. A broken one is closed; an open transaction is rolled back.
    func give(back connection: Connection) {
        if mark.isInherited { return }
        if connection.isInTransaction { connection.sendRollback() }
        let isKept = state.withLock { state in
            guard !state.isClosed, !connection.isBroken,
                connection.fillNumber == state.fillNumber
            else { return false }
            state.idle.append(Idle(connection: connection, end: Deadline(seconds: idleSeconds)))
            Self.wake(&state)
            return true
        }
        if !isKept { discard(connection) }
        closeExpired()
    }

    /// Closes the idle connections, and the others when they are given back: the server is another
    /// one, or not the primary any more.
    func drop() {
        let idle = state.withLock { state in
            state.fillNumber += 1
            return Self.takeIdle(&state)
        }
        if !mark.isInherited { idle.forEach { $0.close() } }
    }

    /// Closes the pool. Connections in use are closed when they are given back.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            let waiters = state.waiters
            state.waiters = []
            waiters.forEach { $0.wake() }
            return Self.takeIdle(&state)
        }
        // A child made by fork closes its descriptors only, as each connection knows.
        idle.forEach { $0.close() }
    }

    // MARK: - Steps

    private func decide(canWait: Bool) -> Decision {
        state.withLock { state in
            if state.isClosed { return .closed }
            // The last one given back: the others may then be idle for long enough to be closed.
            if let idle = state.idle.popLast() { return .use(idle.connection) }
            if state.count < limit {
                state.count += 1
                return .open(fillNumber: state.fillNumber)
            }
            let waiter = Waiter()
            if canWait { state.waiters.append(waiter) }
            return .wait(waiter)
        }
    }

    private func open(_ fillNumber: Int, _ deadline: Deadline) throws(StoreError) -> Connection {
        do throws(StoreError) {
            let connection = try Connection(settings, within: deadline, counters: counters)
            connection.fillNumber = fillNumber
            try check(connection)
            return connection
        } catch {
            release(1)
            throw error
        }
    }

    private func discard(_ connection: Connection) {
        connection.close()
        release(1)
    }

    private func release(_ count: Int) {
        state.withLock { state in
            state.count -= count
            for _ in 0..<count { Self.wake(&state) }
        }
    }

    /// Closes connections that nobody used for long enough, and sets a timer for the others: they
    /// are closed even if nobody uses the pool any more.
    private func closeExpired() {
        let (expired, milliseconds) = state.withLock { state -> ([Connection], Int32?) in
            // They were given back one after the other, so the first one ends first.
            let expired = state.idle.prefix(while: \.end.isPassed).map(\.connection)
            state.idle.removeFirst(expired.count)
            state.count -= expired.count
            if state.isTimed { return (expired, nil) }
            let next = state.idle.first?.end.remainingMilliseconds
            state.isTimed = next != nil
            return (expired, next)
        }
        expired.forEach { $0.close() }
        guard let milliseconds else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(Int(milliseconds))
        ) { [weak self] in
            guard let self, !mark.isInherited else { return }
            state.withLock { $0.isTimed = false }
            closeExpired()
        }
    }

    /// Takes a waiter out of the queue; false if somebody woke it meanwhile.
    private func withdraw(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.waiters.remove(at: index)
            return true
        }
    }

    private static func takeIdle(_ state: inout State) -> [Connection] {
        let idle = state.idle.map(\.connection)
        state.count -= idle.count
        state.idle = []
        for _ in idle { wake(&state) }
        return idle
    }

    private static func wake(_ state: inout State) {
        if !state.waiters.isEmpty { state.waiters.removeFirst().wake() }
    }

    private var closed: StoreError {
        StoreError(.closed, "The store '\(settings.place)' is closed; open it again.")
    }

    private var exhausted: StoreError {
        guard isForStates else {
            return StoreError(
                .storeBusy,
                "Other saves use all \(limit) connections of the store '\(settings.place)'; try "
                    + "again.")
        }
        return StoreError(
            .readersExhausted,
            "All \(limit) connections of the store '\(settings.place)' are in use; release "
                + "snapshots, or allow more connections.")
    }
}

/// Somebody who waits for a connection.
private final class Waiter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wake() { semaphore.signal() }

    /// Returns false if the deadline passed.
    func wait(until deadline: Deadline) -> Bool {
        guard let milliseconds = deadline.remainingMilliseconds else {
            semaphore.wait()
            return true
        }
        return semaphore.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success
    }
}
