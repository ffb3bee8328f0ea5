import DuramenModel

/// Notifications for one listener, from the call that made this on.
///
/// Up to 1,024 wait for a listener that is slower than they come. When there are more, all that
/// wait are dropped, and one element says so (`missed`); what comes after it is complete again.
/// Whoever tells is never held up. The sequence ends with the context or container that it is
/// about. Copies of it, and iterators, share what waits: each notification reaches one of them.
public struct Notifications<Element: Sendable>: AsyncSequence, Sendable {
    /// Waiting for a notification cannot fail.
    public typealias Failure = Never

    let channel: NotificationChannel<Element>

    /// Walks over the notifications.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Walks over the notifications.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: NotificationChannel<Element>

        /// The next notification; nil after the last one, or when the task is cancelled.
        public mutating func next() async -> Element? { await channel.next() }

        /// The next notification; nil after the last one, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await channel.next()
        }
    }
}

/// What becomes of notifications that wait for too long.
enum NotificationOverflow<Element: Sendable>: Sendable {
    /// They are dropped, and the listener is told that.
    case missed(Element)
    /// A new one is joined with one that waits, where the closure says how.
    case joined(@Sendable (Element, Element) -> Element?)
}

/// Where notifications wait for their listener.
final class NotificationChannel<Element: Sendable>: Sendable {
    private static var capacity: Int { 1_024 }

    private struct State {
        var queue: [Element] = []
        /// How many of the queue are taken.
        var taken = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Element?, Never>)] = []
        var number = 0
        var isFinished = false
    }

    private let state = Locked(State())
    private let overflow: NotificationOverflow<Element>

    init(_ overflow: NotificationOverflow<Element>) { self.overflow = overflow }

    /// Hands an element to whoever waits, or keeps it.
    func post(_ element: Element) {
        let continuation = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            switch overflow {
            case .joined(let join):
                for index in state.taken..<state.queue.count {
                    guard let joined = join(state.queue[index], element) else { continue }
                    state.queue[index] = joined
                    return nil
                }
            case .missed(let missed):
                if state.queue.count - state.taken >= Self.capacity {
                    state.queue = [missed]
                    state.taken = 0
                }
            }
            state.queue.append(element)
            return nil
        }
        continuation?.resume(returning: element)
    }

    /// Lets the listener have what waits, and then nil.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            let waiting = state.waiting.map(\.continuation)
            state.waiting = []
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    func next() async -> Element? {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Element?? in
                    if let element = Self.take(from: &state) { return .some(element) }
                    // Cancelled before: the handler found nobody.
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let index = state.waiting.firstIndex { $0.number == number }
                return index.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: nil)
        }
    }

    private static func take(from state: inout State) -> Element? {
        guard state.taken < state.queue.count else { return nil }
        defer {
            state.taken += 1
            if state.taken == state.queue.count {
                state.queue = []
                state.taken = 0
            }
        }
        return state.queue[state.taken]
    }
}

/// The listeners to one source of notifications.
final class NotificationHub<Element: Sendable>: Sendable {
    private struct Listener {
        weak var channel: NotificationChannel<Element>?
    }

    private let listeners = Locked<[Listener]>([])
    private let overflow: NotificationOverflow<Element>

    init(_ overflow: NotificationOverflow<Element>) { self.overflow = overflow }

    /// - Parameter missed: What a listener is told when notifications were dropped.
    convenience init(missed: Element) { self.init(.missed(missed)) }

    deinit {
        for listener in listeners.withLock({ $0 }) { listener.channel?.finish() }
    }

    /// Whether somebody listens.
    var isHeard: Bool { listeners.withLock { $0.contains { $0.channel != nil } } }

    /// Begins to listen.
    func listen() -> Notifications<Element> {
        let channel = NotificationChannel(overflow)
        listeners.withLock { listeners in
            listeners.removeAll { $0.channel == nil }
            listeners.append(Listener(channel: channel))
        }
        return Notifications(channel: channel)
    }

    /// Tells all who listen.
    func post(_ element: Element) {
        let channels = listeners.withLock { $0.compactMap(\.channel) }
        for channel in channels { channel.post(element) }
    }
}
