import DuramenModel

/// An asynchronous sequence of notifications for one listener, from its creation on.
///
/// Up to 1,024 notifications are queued for a slow listener. If there are more, all queued ones are
/// dropped and one `missed` element is sent; later notifications are complete again. The sender
/// never waits. The sequence ends with its context or container. Copies of the sequence and its
/// iterators share one queue: each notification reaches one of them.
public struct Notifications<Element: Sendable>: AsyncSequence, Sendable {
    /// Waiting for a notification cannot fail.
    public typealias Failure = Never

    let channel: NotificationChannel<Element>

    /// Creates an iterator over the notifications.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// An iterator over the notifications.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: NotificationChannel<Element>

        /// Returns the next notification; nil after the last one, or if the task is cancelled.
        public mutating func next() async -> Element? { await channel.next() }

        /// Returns the next notification; nil after the last one, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await channel.next()
        }
    }
}

/// The treatment of notifications that are queued for too long.
enum NotificationOverflow<Element: Sendable>: Sendable {
    /// All are dropped, and the listener gets this element.
    case missed(Element)
    /// A new notification is combined with a queued one if the closure returns their combination.
    case joined(@Sendable (Element, Element) -> Element?)
}

/// The queue of notifications for one listener.
final class NotificationChannel<Element: Sendable>: Sendable {
    private static var capacity: Int { 1_024 }

    private struct State {
        var queue: [Element] = []
        /// The number of elements of the queue that were taken.
        var taken = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Element?, Never>)] = []
        var number = 0
        var isFinished = false
    }

    private let state = Locked(State())
    private let overflow: NotificationOverflow<Element>

    init(_ overflow: NotificationOverflow<Element>) { self.overflow = overflow }

    /// Passes an element to a waiting task, or queues it.
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

    /// Ends the sequence after the queued elements.
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
                    // The task was cancelled before it waited.
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

    /// Creates a hub.
    ///
    /// - Parameter missed: The element that replaces dropped notifications.
    convenience init(missed: Element) { self.init(.missed(missed)) }

    deinit {
        for listener in listeners.withLock({ $0 }) { listener.channel?.finish() }
    }

    /// Whether there are listeners.
    var isHeard: Bool { listeners.withLock { $0.contains { $0.channel != nil } } }

    /// Adds a listener.
    func listen() -> Notifications<Element> {
        let channel = NotificationChannel(overflow)
        listeners.withLock { listeners in
            listeners.removeAll { $0.channel == nil }
            listeners.append(Listener(channel: channel))
        }
        return Notifications(channel: channel)
    }

    /// Notifies all listeners.
    func post(_ element: Element) {
        let channels = listeners.withLock { $0.compactMap(\.channel) }
        for channel in channels { channel.post(element) }
    }
}
