/// Who is to be told of the save under way, and of what.
///
/// Objects are noted only for a save that somebody hears of, and are forgotten when it is told.
struct SaveTelling {
    /// Whether somebody is to be told of the save under way.
    private(set) var isWanted = false
    /// Whether `didSave` is being called. Deleted objects still have their context in it.
    private(set) var isCallingDidSave = false
    /// Objects as they were when their `willSave` was called, if they were changed since.
    private(set) var statesAtWillSave: [ManagedObject: SavedState] = [:]
    /// The objects that the save made clean; nil while there are none.
    private var saved: ObjectsOfSave?

    /// Begins a save of which somebody is to be told, or nobody.
    mutating func prepare(isWanted: Bool) { self.isWanted = isWanted }

    mutating func record(_ state: @autoclosure () -> SavedState, of object: ManagedObject) {
        if statesAtWillSave[object] == nil { statesAtWillSave[object] = state() }
    }

    mutating func forgetState(of object: ManagedObject) { statesAtWillSave[object] = nil }

    mutating func forgetStates() { statesAtWillSave = [:] }

    mutating func collectSaved(
        _ pending: PendingSave, updated: some Sequence<ManagedObject>
    ) {
        var all = saved ?? ObjectsOfSave()
        saved = nil
        all.inserted += pending.inserted
        all.updated += updated
        all.deleted += pending.deleted
        saved = all
    }

    /// Begins to tell of the save.
    ///
    /// - Returns: The objects that it made clean; nil when there is nothing to tell.
    mutating func begin() -> ObjectsOfSave? {
        isWanted = false
        defer { saved = nil }
        isCallingDidSave = saved != nil
        return saved
    }

    mutating func end() { isCallingDidSave = false }
}
