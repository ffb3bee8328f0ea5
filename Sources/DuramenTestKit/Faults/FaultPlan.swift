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
    /// ``PersistentStore/generation(ofSave:)``
    case generation
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
}

/// Which calls of a ``FaultyStore`` fail, and what was called so far. Shared by all stores of one type.
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

    struct Fault {
        var call: StoreCall
        /// How many calls of the kind are still to go well.
        var remaining: Int
        var error: StoreError
        var moment: Moment
    }

    private struct State {
        var faults: [Fault] = []
        var counts: [StoreCall: Int] = [:]
        var comparesVersions = true
    }

    private let state = Locked(State())

    /// Makes a plan in which nothing fails.
    public init() {}

    /// Lets one of the next calls of a kind fail, once.
    ///
    /// - Parameters:
    ///   - number: Which of the calls from now on: 1 for the next.
    ///   - error: What the call throws.
    ///   - moment: Whether the work is done all the same. A conflicted save fails with its conflicts lost.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with error: StoreError, _ moment: Moment = .before
    ) {
        state.withLock {
            $0.faults.append(
                Fault(call: call, remaining: number - 1, error: error, moment: moment))
        }
    }

    /// The same with an error that has a code and says that it is a test's.
    public func fail(
        _ call: StoreCall, at number: Int = 1, with code: StoreError.Code,
        _ moment: Moment = .before
    ) {
        let error = StoreError(code, "A test lets this \(call.rawValue) fail.")
        fail(call, at: number, with: error, moment)
    }

    /// Forgets the faults that have not come yet.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func clear() -> Int {
        state.withLock { state in
            defer { state.faults = [] }
            return state.faults.count
        }
    }

    /// Whether saves compare versions; true. Without, the last save of a row wins, and checks mean nothing: a
    /// store that loses updates, for tests of what is to find that.
    public var comparesVersions: Bool {
        get { state.withLock { $0.comparesVersions } }
        set { state.withLock { $0.comparesVersions = newValue } }
    }

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
        let fault = state.withLock { state -> Fault? in
            state.counts[call, default: 0] += 1
            var due: Fault?
            for place in state.faults.indices where state.faults[place].call == call {
                if state.faults[place].remaining == 0, due == nil { due = state.faults[place] }
                state.faults[place].remaining -= 1
            }
            state.faults.removeAll { $0.remaining < 0 }
            return due
        }
        guard let fault else { return try body() }
        if fault.moment == .after { _ = try body() }
        throw fault.error
    }
}
