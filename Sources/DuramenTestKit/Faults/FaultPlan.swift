import DuramenModel
public import DuramenStore

/// A kind of call of a store, or of a snapshot, cursor or batch of the store.
public enum StoreCall: String, Sendable, Hashable, CaseIterable {
    /// Opening the store.
    case open
    /// ``PersistentStore/metadata()``
    case metadata
    /// ``PersistentStore/snapshot()``
    case snapshot
    /// ``PersistentStore/allocateKeys(_:for:)``
    case allocateKeys
    /// ``PersistentStore/save(_:)``, also for each change set of a group
    case save
    /// ``GroupSavingStore/save(_:)``
    case saveGroup
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
    /// ``AggregatingSnapshot/groups(of:)``, if the wrapped store computes groups
    case groups
}

/// A plan for the calls of a ``FaultyStore`` that fail, with counts of all calls. Shared by all
/// stores of one type.
///
/// ```swift
/// let plan = FaultPlan()
/// let container = try PersistentContainer.open(
///     model: model, stores: [plan.faulty(.sqlite(path))])
/// plan.fail(.save, with: .unknownOutcome, .after)   // The next save is written, but throws.
/// ```
public final class FaultPlan: Sendable {
    /// When a call fails: before or after it does its work.
    public enum Moment: Sendable, Hashable, CaseIterable {
        /// The call does nothing and fails.
        case before
        /// The call does its work, and fails anyway.
        case after
    }

    private enum Effect {
        case failure(StoreError, Moment)
        case action(@Sendable () -> Void)
    }

    private struct Event {
        var call: StoreCall
        /// The number of calls that still succeed before.
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
    /// Whether stores of this plan declare that they group saves. If the wrapped store does not,
    /// its saves are made one after the other.
    public let groupsSaves: Bool

    /// Creates a plan in which nothing fails.
    ///
    /// - Parameter groupsSaves: Whether to simulate a ``GroupSavingStore``.
    public init(groupsSaves: Bool = false) { self.groupsSaves = groupsSaves }

    /// Lets one of the next calls of a kind fail, once.
    ///
    /// - Parameters:
    ///   - call: The kind of call.
    ///   - number: The number of the call from now on: 1 for the next.
    ///   - error: The error that the call throws.
    ///   - moment: Whether the work is done anyway. A conflicted save loses its conflicts.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with error: StoreError, _ moment: Moment = .before
    ) {
        add(.failure(error, moment), to: call, number)
    }

    /// Lets one of the next calls of a kind fail, with an error that has a code and says that it is
    /// a test's.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with code: StoreError.Code,
        _ moment: Moment = .before
    ) {
        let error = StoreError(code, "A test lets this \(call.rawValue) fail.")
        fail(call, at: number, with: error, moment)
    }

    /// Runs an action just before one of the next calls of a kind, once, to simulate a concurrent
    /// user.
    ///
    /// - Parameters:
    ///   - call: The kind of call.
    ///   - number: The number of the call from now on: 1 for the next.
    ///   - action: Runs on the thread of the call. It must not call a store of this plan.
    public func act(
        before call: StoreCall, at number: Int = 1, _ action: @escaping @Sendable () -> Void
    ) {
        add(.action(action), to: call, number)
    }

    private func add(_ effect: Effect, to call: StoreCall, _ number: Int) {
        let event = Event(call: call, remaining: number - 1, effect: effect)
        state.withLock { $0.events.append(event) }
    }

    /// Removes the faults and actions that have not happened yet.
    ///
    /// - Returns: The number of removed faults and actions.
    @discardableResult
    public func clear() -> Int {
        state.withLock { state in
            defer { state.events = [] }
            return state.events.count
        }
    }

    /// Whether saves compare versions; true by default. If false, the last save of a row wins and
    /// checks are ignored. This simulates a store that loses updates.
    public var comparesVersions: Bool {
        get { state.withLock { $0.comparesVersions } }
        set { state.withLock { $0.comparesVersions = newValue } }
    }

    /// Whether every request for transactions returns those from the beginning; false by default.
    /// This simulates a damaged history, in which a reader never reaches the end.
    public var repeatsHistory: Bool {
        get { state.withLock { $0.repeatsHistory } }
        set { state.withLock { $0.repeatsHistory = newValue } }
    }

    /// Blocks every following call until ``release()``, as if the disk were slow. A call that is
    /// not released within a quarter of an hour fails.
    public func hold() { gate.close() }

    /// Lets blocked calls continue.
    public func release() { gate.open() }

    /// Returns when this many calls are blocked.
    public func waitForHeldCalls(_ count: Int = 1) async { await gate.waitForWaiting(count) }

    /// Returns the number of calls of a kind, including failed ones.
    public func count(of call: StoreCall) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// Returns a description that opens a store with this plan.
    public func faulty(_ description: PersistentStoreDescription) -> PersistentStoreDescription {
        var copy = description
        copy.type = FaultyStoreType(description.type, plan: self)
        return copy
    }

    /// Makes a call, unless the plan lets it fail.
    func perform<R>(
        _ call: StoreCall, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard let failure = try begin(call) else { return try body() }
        if failure.moment == .after { _ = try body() }
        throw failure.error
    }

    /// Begins a call: counts it, runs its actions, and waits while calls are held.
    ///
    /// - Returns: The error that the call must throw; nil if it succeeds.
    func begin(_ call: StoreCall) throws(StoreError) -> (error: StoreError, moment: Moment)? {
        var failure: (error: StoreError, moment: Moment)?
        for event in dueEvents(of: call) {
            switch event.effect {
            case .failure(let error, let moment): failure = failure ?? (error, moment)
            case .action(let action): action()
            }
        }
        try gate.pass()
        return failure
    }

    /// Counts a call, and removes its events from the plan.
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
