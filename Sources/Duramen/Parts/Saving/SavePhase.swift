import DuramenModel

/// Where a save of a part is.
///
/// A part has one save at a time: another one begins when the outcome of the last is known. While a
/// save is in flight or unknown, its context remembers what was written.
struct SavePhase {
    enum State {
        /// No save is under way.
        case idle
        /// Application code prepares a save, which must not save itself.
        case preparing
        /// The changes are written on another thread.
        case inFlight(UnresolvedSave)
        /// A save threw `.unknownOutcome`, and the context has not found out yet.
        case unknown(UnresolvedSave)
    }

    private(set) var state = State.idle

    /// Goes on to another state.
    mutating func move(to next: State) {
        precondition(state.leads(to: next), "A save went from \(state.name) to \(next.name).")
        state = next
    }

    /// What was written of which nobody knows yet whether the store has it.
    var unresolved: UnresolvedSave? {
        switch state {
        case .idle, .preparing: nil
        case .inFlight(let save), .unknown(let save): save
        }
    }

    var isPreparing: Bool {
        if case .preparing = state { true } else { false }
    }

    /// Whether the context has not found out what became of a save.
    var isUnknown: Bool {
        if case .unknown = state { true } else { false }
    }

    /// Has what was written count as somebody else's, since the context dropped its changes.
    mutating func dropChanges() { changeUnresolved { $0.isDropped = true } }

    /// Forgets that a pair was to be added or removed, since the context dropped that edit.
    mutating func drop(_ edge: EdgeKey) { changeUnresolved { $0.edges[edge] = nil } }

    private mutating func changeUnresolved(_ change: (inout UnresolvedSave) -> Void) {
        switch state {
        case .idle, .preparing: break
        case .inFlight(var save):
            state = .idle
            change(&save)
            state = .inFlight(save)
        case .unknown(var save):
            state = .idle
            change(&save)
            state = .unknown(save)
        }
    }
}

extension SavePhase.State {
    fileprivate func leads(to next: Self) -> Bool {
        switch (self, next) {
        case (.idle, .preparing), (.idle, .inFlight), (.idle, .unknown): true
        case (.inFlight, .unknown): true
        case (_, .idle): true
        default: false
        }
    }

    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .preparing: "preparing"
        case .inFlight: "in flight"
        case .unknown: "unknown"
        }
    }
}

/// A save of unknown outcome as the context that made it remembers it.
struct UnresolvedSave {
    let save: UnknownSave
    /// The objects of the rows that were to be written.
    let objects: [ManagedObject]
    let deleted: [ManagedObject]
    /// Many-to-many pairs that were to be added or removed, without those whose edits were dropped
    /// since.
    var edges: [EdgeKey: Bool]
    /// What it depended on.
    let guarded: [ManagedObject: ObjectGuard]
    /// Whether the context dropped its changes since. The save counts as somebody else's then.
    var isDropped = false
}
