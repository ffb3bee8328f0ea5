import DuramenModel
import Foundation

/// The queue for saves of other contexts, until their context is between two units of work.
///
/// The inbox can be used from any isolation; its context only in the isolation of its owner.
final class Inbox: Sendable {
    /// The most saves that are queued.
    private static let capacity = 1024
    /// The most bytes of the rows of several saves.
    private static let byteLimit = 2 << 20
    /// The most bytes of the rows of a single save. It is merged soon, unless the context is idle.
    private static let byteLimitOfOne = 8 << 20

    private struct State {
        var queue: [SavedChanges] = []
        /// The number of bytes of the queued rows.
        var byteCount = 0
        /// Whether the queue was too long and was discarded.
        var isOverfull = false
        var isScheduled = false
        var isMerging: Bool
        /// Whether a save was ignored because merging was off.
        var hasMissed = false
        var mark = Mark()
        // Weak, because an actor may own the context that owns this inbox.
        weak var owner: (any Actor)?
        var ownerID: ObjectIdentifier?
        /// Whether saves are posted to this inbox.
        var isSubscribed = false
        /// Whether the context has nothing that a save could change.
        var isIdle = false

        /// Queues a save. If it is unknown or the queue gets too long, anything may have changed.
        mutating func add(_ changes: SavedChanges?, _ count: Int) {
            byteCount += count
            let limit = queue.isEmpty ? byteLimitOfOne : byteLimit
            guard let changes, !isOverfull, queue.count < capacity, byteCount <= limit else {
                forget()
                isOverfull = true
                return
            }
            queue.append(changes)
        }

        /// Discards the queue.
        mutating func forget() {
            queue = []
            byteCount = 0
            isOverfull = false
        }
    }

    /// How much an inbox has received until some time.
    struct Mark: Sendable {
        /// The number of saves.
        private(set) var posts = 0
        /// The number of saves that may have deleted objects.
        private(set) var deletions = 0

        fileprivate mutating func add(_ changes: SavedChanges?) {
            posts += 1
            if let changes, changes.deletes.isEmpty, changes.elsewhere == nil { return }
            deletions += 1
        }
    }

    /// The result of posting changes.
    enum Posting {
        /// The changes are queued, for the owner if there is one. If they are the first, the owner
        /// is woken.
        case filled(owner: ObjectIdentifier?, isFirst: Bool)
        /// The changes are not wanted.
        case ignored
        /// The context has nothing to merge, and the inbox unsubscribes.
        case idle
    }

    /// The context's part, which the inbox must not keep alive.
    ///
    /// Not a weak reference, because that would slow every retain and release of the part. Instead,
    /// the context detaches itself when it ends.
    // Sound: used only with `contextLock` held, which the context's `deinit` takes before it goes
    // on. A reference that is taken to the part is also released under the lock.
    nonisolated(unsafe) private var part: Unmanaged<ContextPart>?
    /// Recursive: while a unit of work is ended here, the context may lose its last other
    /// reference. It is then deinitialised on this thread together with the reference that was
    /// taken for that.
    private let contextLock = NSRecursiveLock()

    private let state: Locked<State>

    init(isMerging: Bool) { state = Locked(State(isMerging: isMerging)) }

    func attach(_ part: ContextPart) {
        contextLock.withLock { self.part = .passUnretained(part) }
    }

    func detach() { contextLock.withLock { part = nil } }

    var isMerging: Bool {
        get { state.withLock { $0.isMerging } }
        set { state.withLock { $0.isMerging = newValue } }
    }

    /// Sets the owner on which merging is scheduled from now on.
    func setOwner(_ owner: any Actor) {
        let mustSchedule = state.withLock { state in
            state.owner = owner
            state.ownerID = ObjectIdentifier(owner)
            return (state.isOverfull || !state.queue.isEmpty) && !state.isScheduled
        }
        if mustSchedule { scheduleEndOfUnit() }
    }

    var owner: (any Actor)? { state.withLock { $0.owner } }

    /// The identity of the owner, alive or not.
    var ownerID: ObjectIdentifier? { state.withLock { $0.ownerID } }

    // MARK: - Subscribing

    var isSubscribed: Bool { state.withLock { $0.isSubscribed } }

    /// Subscribes the inbox to saves.
    ///
    /// - Returns: Whether it was not subscribed, so that it must be added to the subscribers.
    func subscribe() -> Bool {
        state.withLock { state in
            defer { state.isSubscribed = true }
            state.isIdle = false
            return !state.isSubscribed
        }
    }

    /// Lets the next save unsubscribe the inbox, and discards the queue, because nothing is
    /// registered.
    func becomeIdle() {
        state.withLock { state in
            state.isIdle = true
            state.forget()
        }
    }

    // MARK: - The queue

    /// Whether there is anything to merge.
    var hasWaiting: Bool { state.withLock { $0.isOverfull || !$0.queue.isEmpty } }

    /// Whether all queued saves are known with their rows.
    var knowsWhatWaits: Bool {
        state.withLock { !$0.isOverfull && $0.queue.allSatisfy { $0.elsewhere == nil } }
    }

    /// Whether saves of other contexts were ignored because merging was off.
    var hasMissed: Bool { state.withLock { $0.hasMissed } }

    /// The queued saves, oldest first.
    var waiting: [SavedChanges] { state.withLock { $0.queue } }

    /// The number of bytes of the queued rows.
    var waitingByteCount: Int { state.withLock { $0.byteCount } }

    /// The mark of the saves that were queued so far.
    var mark: Mark { state.withLock { $0.mark } }

    /// Returns the saves that were queued after a mark, oldest first; nil if some were merged or
    /// discarded since.
    func received(since mark: Mark) -> [SavedChanges]? {
        state.withLock { state in
            let count = state.mark.posts - mark.posts
            guard !state.isOverfull, count <= state.queue.count else { return nil }
            let saves = state.queue.suffix(count)
            return saves.contains { $0.elsewhere != nil } ? nil : Array(saves)
        }
    }

    /// Queues changes, and schedules merging if the context has an owner.
    ///
    /// - Parameters:
    ///   - changes: The changes; nil if anything may have changed.
    ///   - byteCount: The number of bytes of their rows.
    @discardableResult
    func post(_ changes: SavedChanges?, byteCount: Int = 0) -> Posting {
        let (posting, mustSchedule) = state.withLock { state -> (Posting, Bool) in
            if state.isIdle {
                state.isSubscribed = false
                return (.idle, false)
            }
            guard state.isMerging else {
                state.hasMissed = true
                return (.ignored, false)
            }
            let isFirst = state.queue.isEmpty && !state.isOverfull
            state.mark.add(changes)
            state.add(changes, byteCount)
            return (.filled(owner: state.ownerID, isFirst: isFirst), !state.isScheduled)
        }
        if mustSchedule { scheduleEndOfUnit() }
        return posting
    }

    /// Removes and returns the queue; nil if it was discarded and everything must be reloaded.
    func take() -> [SavedChanges]? {
        state.withLock { state in
            defer { state.forget() }
            return state.isOverfull ? nil : state.queue
        }
    }

    /// Schedules the end of the context's unit of work, if it has an owner.
    func scheduleEndOfUnit() {
        let owner = state.withLock { state -> (any Actor)? in
            guard !state.isScheduled, let owner = state.owner else { return nil }
            state.isScheduled = true
            return owner
        }
        guard let owner else { return }
        Task { await self.endUnit(on: owner) }
    }

    private func endUnit(on owner: isolated any Actor) {
        state.withLock { $0.isScheduled = false }
        endUnit()
    }

    /// Ends the context's unit of work. Call it in the isolation of the owner.
    func endUnit() {
        contextLock.withLock {
            guard let context = part?.takeUnretainedValue().context else { return }
            // Application code that runs here may drop the last reference to the context.
            withExtendedLifetime(context) {
                if context.mustEndUndoEvents { context.endUndoEvents() }
                context.endUnitOfWork()
                if context.mustTellOfUnit { context.tellOfUnit() }
            }
        }
    }
}
