import DuramenModel

/// The phase of a part's save.
///
/// A part has one save at a time: the next one begins after the outcome of the last is known. While
/// a save is in flight or of unknown outcome, its context keeps a record of what was written.
struct SavePhase {
    enum State {
        /// No save is in progress.
        case idle
        /// Application code prepares a save, and must not save itself.
        case preparing
        /// The changes are written on another thread.
        case inFlight(UnresolvedSave)
        /// A save threw `.unknownOutcome`, and the outcome is not resolved yet.
        case unknown(UnresolvedSave)
    }

    private(set) var state = State.idle

    /// Changes the state.
    mutating func move(to next: State) {
        precondition(state.leads(to: next), "A save went from \(state.name) to \(next.name).")
        state = next
    }

    /// The written changes that may or may not be in the store.
    var unresolved: UnresolvedSave? {
        switch state {
        case .idle, .preparing: nil
        case .inFlight(let save), .unknown(let save): save
        }
    }

    var isPreparing: Bool {
        if case .preparing = state { true } else { false }
    }

    /// Whether the outcome of a save is not resolved.
    var isUnknown: Bool {
        if case .unknown = state { true } else { false }
    }

    /// Treats the written changes as another context's save, because the context discarded its
    /// changes.
    mutating func dropChanges() { changeUnresolved { $0.isDropped = true } }

    /// Drops a pair from the written changes, because the context dropped that edit.
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

/// A save of unknown outcome, as its context keeps it.
struct UnresolvedSave {
    let save: UnknownSave
    /// The objects of the rows to write.
    let objects: ContiguousArray<ManagedObject>
    /// The objects that the save wrote or changes the relationships of.
    let saved: ObjectsOfSave
    /// The many-to-many pairs to add or remove, without pairs whose edits were dropped since.
    var edges: [EdgeKey: Bool]
    /// The guards that it depended on.
    let guarded: [ManagedObject: ObjectGuard]
    /// Whether the context has discarded its changes. The save then counts as another context's.
    var isDropped = false

    /// Keeps a save that is passed to the store while the context may change.
    init(_ save: UnknownSave, _ pending: PendingSave, in part: ContextPart) {
        self.save = save
        objects = pending.inserted + pending.updated
        saved = ObjectsOfSave(pending, in: part)
        edges = part.tracker.edges
        guarded = part.tracker.guarded
    }
}
