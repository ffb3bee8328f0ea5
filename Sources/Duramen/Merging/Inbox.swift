import DuramenModel
import Foundation

/// Where saves of other contexts wait until their context is between two units of work.
///
/// The inbox may be used from anywhere; its context only in the isolation of its owner.
final class Inbox: Sendable {
    /// How many saves may wait while nobody drains.
    private static let capacity = 1024
    /// How many bytes the rows of several saves may hold.
    private static let byteLimit = 2 << 20
    /// How many bytes the rows of one save may hold. It is merged soon, unless the context is idle.
    private static let byteLimitOfOne = 8 << 20

    private struct State {
        var queue: [SavedChanges] = []
        /// How many bytes the rows hold that wait.
        var byteCount = 0
        /// Whether so much waited that it was given up.
        var isOverfull = false
        var isScheduled = false
        var isMerging: Bool
        /// Whether something came while nothing was to be merged.
        var hasMissed = false
        var postCount = 0
        // An actor may own the context that owns this inbox.
        weak var owner: (any Actor)?
        var ownerID: ObjectIdentifier?
        /// Whether saves are put in here.
        var isSubscribed = false
        /// Whether the context has nothing that a save could change.
        var isIdle = false

        /// Adds what was saved, unless it is too much to be kept: anything may have changed then.
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

        /// Forgets what waits.
        mutating func forget() {
            queue = []
            byteCount = 0
            isOverfull = false
        }
    }

    /// What became of changes that were put in.
    enum Posting {
        /// They wait, for an owner if there is one; as the first, so that the owner wakes, or
        /// behind others.
        case filled(owner: ObjectIdentifier?, isFirst: Bool)
        /// They are not wanted.
        case ignored
        /// The context has nothing to merge, and the inbox stops listening.
        case idle
    }

    /// The context, which must not be kept alive by what waits for it.
    ///
    /// A weak reference would do too, but it makes every retain and release of the context slower
    /// for ever, so the context takes itself out when it ends.
    // Sound: used with `contextLock` held only, which the context's `deinit` takes before it goes
    // on; a reference that is taken to it is given up under the lock too.
    nonisolated(unsafe) private var part: Unmanaged<ContextPart>?
    /// Can be taken again by who has it: a context may lose its last other reference while its unit
    /// of work is ended here, and then ends with the reference that was taken for that, on this
    /// thread.
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

    /// Names the owner, on which drains are scheduled from now on.
    func setOwner(_ owner: any Actor) {
        let mustSchedule = state.withLock { state in
            state.owner = owner
            state.ownerID = ObjectIdentifier(owner)
            return (state.isOverfull || !state.queue.isEmpty) && !state.isScheduled
        }
        if mustSchedule { scheduleEndOfUnit() }
    }

    var owner: (any Actor)? { state.withLock { $0.owner } }

    /// Whom the owner is, alive or not.
    var ownerID: ObjectIdentifier? { state.withLock { $0.ownerID } }

    // MARK: - Being told

    var isSubscribed: Bool { state.withLock { $0.isSubscribed } }

    /// Begins to take saves.
    ///
    /// - Returns: Whether it did not before, so that it must be added to the subscribers.
    func subscribe() -> Bool {
        state.withLock { state in
            defer { state.isSubscribed = true }
            state.isIdle = false
            return !state.isSubscribed
        }
    }

    /// Has the next save pass by, and forgets what waits, since the context has nothing registered.
    func becomeIdle() {
        state.withLock { state in
            state.isIdle = true
            state.forget()
        }
    }

    // MARK: - What waits

    /// Whether something waits.
    var hasWaiting: Bool { state.withLock { $0.isOverfull || !$0.queue.isEmpty } }

    /// Whether what waits is known with its rows, and not only that there is something.
    var knowsWhatWaits: Bool {
        state.withLock { !$0.isOverfull && $0.queue.allSatisfy { $0.elsewhere == nil } }
    }

    /// Whether saves of others were left out, since they are not merged by themselves.
    var hasMissed: Bool { state.withLock { $0.hasMissed } }

    /// What waits, oldest first.
    var waiting: [SavedChanges] { state.withLock { $0.queue } }

    /// How many bytes the rows hold that wait.
    var waitingByteCount: Int { state.withLock { $0.byteCount } }

    /// How many saves of others were put in so far.
    var postCount: Int { state.withLock { $0.postCount } }

    /// Puts changes in, and makes sure that they are merged soon if the context has an owner.
    ///
    /// - Parameters:
    ///   - changes: Nil when anything may have changed.
    ///   - byteCount: How many bytes their rows take.
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
            state.postCount += 1
            state.add(changes, byteCount)
            return (.filled(owner: state.ownerID, isFirst: isFirst), !state.isScheduled)
        }
        if mustSchedule { scheduleEndOfUnit() }
        return posting
    }

    /// Takes out what waits; nil when it was so much that all must be read anew.
    func take() -> [SavedChanges]? {
        state.withLock { state in
            defer { state.forget() }
            return state.isOverfull ? nil : state.queue
        }
    }

    /// Makes sure that the context's unit of work ends soon, if it has an owner.
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
