import DuramenModel
public import DuramenStore

/// A kind of call that a store, or something that it handed out, answers.
public enum StoreCall: String, Sendable, Hashable, CaseIterable {
    /// Opening the store.
    case open
    /// ``PersistentStore/metadata()``
    case metadata
    /// ``PersistentStore/snapshot()``
    case snapshot
    /// ``PersistentStore/allocateKeys(_:for:)``
    case allocateKeys
    /// ``PersistentStore/save(_:)``
    case save
    /// ``BatchTransaction/write(_:)``
    case batchPart
    /// ``PersistentStore/generation(ofSave:)``
    case generation
    /// The requirements of ``HistoryTrackingStore``.
    case history
    /// ``SchemaMigratingStore/migrate(_:)``
    case migrate
    /// ``PersistentStore/close()``
    case close
    /// ``StoreSnapshot/rows(for:)``
    case rows
    /// ``StoreSnapshot/destinations(of:from:)``
    case destinations
    /// ``StoreSnapshot/cursor(_:)``
    case cursor
    /// ``StoreCursor/next(maximumRows:)``
    case next
    /// ``StoreSnapshot/objectIDs(_:)``
    case objectIDs
    /// ``StoreSnapshot/count(_:)``
    case count
    /// ``AggregatingSnapshot/groups(of:)``, where the store inside makes groups
    case groups
}

/// Which calls of a ``FaultyStore`` fail, and what was called so far. Shared by all stores of one
/// type.
///
/// ```swift
/// let plan = FaultPlan()
/// let container = try PersistentContainer.open(
///     model: model, stores: [plan.faulty(.sqlite(path))])
/// plan.fail(.save, with: .unknownOutcome, .after)   // the next save is written, and reports a failure
/// ```
public final class FaultPlan: Sendable {
    /// When a call fails: without having done anything, or when all is done.
    public enum Moment: Sendable, Hashable, CaseIterable {
        /// The call does nothing and fails.
        case before
        /// The call does its work and fails all the same.
        case after
    }

    private enum Effect {
        case failure(StoreError, Moment)
        case action(@Sendable () -> Void)
    }

    private struct Event {
        var call: StoreCall
        /// How many calls of the kind are still to be as ever.
        var remaining: Int
        var effect: Effect
    }

    private struct State {
        var events: [Event] = []
        var counts: [StoreCall: Int] = [:]
        var comparesVersions = true
        var repeatsHistory = false
    }

    private let state = Locked(State())
    private let gate = Gate()

    /// Makes a plan in which nothing fails.
    public init() {}

    /// Lets one of the next calls of a kind fail, once.
    ///
    /// - Parameters:
    ///   - number: Which of the calls from now on: 1 for the next.
    ///   - error: What the call throws.
    ///   - moment: Whether the work is done all the same. A conflicted save fails with its
    ///     conflicts lost.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with error: StoreError, _ moment: Moment = .before
    ) {
        add(.failure(error, moment), to: call, number)
    }

    /// The same with an error that has a code and says that it is a test's.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with code: StoreError.Code,
        _ moment: Moment = .before
    ) {
        let error = StoreError(code, "A test lets this \(call.rawValue) fail.")
        fail(call, at: number, with: error, moment)
    }

    /// Does something just before one of the next calls of a kind, once: what others do between two
    /// calls.
    ///
    /// - Parameters:
    ///   - number: Before which of the calls from now on: 1 for the next.
    ///   - action: Runs on the thread of the call, and makes no call of a store of this plan.
    public func act(
        before call: StoreCall, at number: Int = 1, _ action: @escaping @Sendable () -> Void
    ) {
        add(.action(action), to: call, number)
    }

    private func add(_ effect: Effect, to call: StoreCall, _ number: Int) {
        let event = Event(call: call, remaining: number - 1, effect: effect)
        state.withLock { $0.events.append(event) }
    }

    /// Forgets the faults and actions that have not come yet.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func clear() -> Int {
        state.withLock { state in
            defer { state.events = [] }
            return state.events.count
        }
    }

    /// Whether saves compare versions; true. Without, the last save of a row wins, and checks mean
    /// nothing: a store that loses updates, for tests of what is to find that.
    public var comparesVersions: Bool {
        get { state.withLock { $0.comparesVersions } }
        set { state.withLock { $0.comparesVersions = newValue } }
    }

    /// Whether every request for transactions is answered with those from the beginning, whatever
    /// place is asked for; false. It is what a damaged history may do to whoever reads on from the
    /// last transaction.
    public var repeatsHistory: Bool {
        get { state.withLock { $0.repeatsHistory } }
        set { state.withLock { $0.repeatsHistory = newValue } }
    }

    /// Blocks every following call until ``release()``, as if the disk were slow. A call that is
    /// not released within a quarter of an hour fails.
    public func hold() { gate.close() }

    /// Lets calls go on.
    public func release() { gate.open() }

    /// Returns once so many calls wait to go on.
    public func waitForHeldCalls(_ count: Int = 1) async { await gate.waitForWaiting(count) }

    /// How many calls of a kind were made, those that failed included.
    public func count(of call: StoreCall) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// A description that opens a store through this plan.
    public func faulty(_ description: PersistentStoreDescription) -> PersistentStoreDescription {
        var copy = description
        copy.type = FaultyStoreType(description.type, plan: self)
        return copy
    }

    /// Makes a call, unless it is to fail.
    func perform<R>(
        _ call: StoreCall, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var failure: (error: StoreError, moment: Moment)?
        for event in dueEvents(of: call) {
            switch event.effect {
            case .failure(let error, let moment): failure = failure ?? (error, moment)
            case .action(let action): action()
            }
        }
        try gate.pass()
        guard let failure else { return try body() }
        if failure.moment == .after { _ = try body() }
        throw failure.error
    }

    /// Counts a call, and takes out what is to happen with it.
    private func dueEvents(of call: StoreCall) -> [Event] {
        state.withLock { state in
            state.counts[call, default: 0] += 1
            for place in state.events.indices where state.events[place].call == call {
                state.events[place].remaining -= 1
            }
            defer { state.events.removeAll { $0.remaining < 0 } }
            return state.events.filter { $0.remaining < 0 }
        }
    }
}
