/// The notifications of the save in progress.
///
/// Objects are recorded only if there are observers or hooks, and are dropped after the
/// notification.
struct SaveTelling {
    /// Whether observers or hooks are to be notified of the save in progress.
    private(set) var isWanted = false
    /// Whether `didSave` is being called. Deleted objects still have their context then.
    private(set) var isCallingDidSave = false
    /// The state of objects when their `willSave` was called, if they have changed since.
    private(set) var statesAtWillSave: [ManagedObject: SavedState] = [:]
    /// The objects that the save wrote; nil while there are none.
    private var saved: ObjectsOfSave?

    /// Starts a save with or without notifications.
    mutating func prepare(isWanted: Bool) { self.isWanted = isWanted }

    mutating func record(_ state: @autoclosure () -> SavedState, of object: ManagedObject) {
        if statesAtWillSave[object] == nil { statesAtWillSave[object] = state() }
    }

    mutating func forgetState(of object: ManagedObject) { statesAtWillSave[object] = nil }

    mutating func forgetStates() { statesAtWillSave = [:] }

    mutating func collectSaved(_ objects: ObjectsOfSave) {
        var all = saved ?? ObjectsOfSave()
        saved = nil
        all += objects
        saved = all
    }

    /// Starts the notifications of the save.
    ///
    /// - Returns: The saved objects; nil if there is nothing to report.
    mutating func begin() -> ObjectsOfSave? {
        isWanted = false
        defer { saved = nil }
        isCallingDidSave = saved != nil
        return saved
    }

    mutating func end() { isCallingDidSave = false }
}
