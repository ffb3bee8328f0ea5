import DuramenModel

extension ManagedObjectContext {
    /// Collects the objects of the save that follows, if somebody is notified of it.
    func prepareTelling() { telling.prepare(isWanted: tellsOfSaves) }

    /// Runs work that may complete an earlier save, and notifies of that save.
    func tellingOfSave<Result>(_ work: () throws -> Result) rethrows -> Result {
        prepareTelling()
        defer { if telling.isWanted { tellOfSave() } }
        return try work()
    }

    /// Calls `didSave` of the saved objects, and notifies observers.
    func tellOfSave() {
        guard let saved = telling.begin() else { return }
        defer { telling.end() }
        for object in saved.inserted where object.overrides(.didSave) { object.didSave() }
        for object in saved.updated where object.overrides(.didSave) { object.didSave() }
        for object in saved.deleted where object.overrides(.didSave) { object.didSave() }
        events?.didSave(SavedObjects(saved), self)
    }
}

/// The objects that a save wrote.
struct ObjectsOfSave {
    private(set) var inserted = ContiguousArray<ManagedObject>()
    private(set) var updated = ContiguousArray<ManagedObject>()
    private(set) var deleted: [ManagedObject] = []

    init() {}

    /// The objects of a save that is about to be written, or was just written.
    init(_ pending: PendingSave, in part: ContextPart) {
        inserted = pending.inserted
        updated = ContiguousArray(part.tracker.updated.lazy.filter(\.isUpdated))
        deleted = pending.deleted
    }

    static func += (all: inout Self, others: Self) {
        all.inserted += others.inserted
        all.updated += others.updated
        all.deleted += others.deleted
    }
}

extension SavedObjects {
    fileprivate init(_ objects: ObjectsOfSave) {
        inserted = Set(objects.inserted)
        updated = Set(objects.updated)
        deleted = Set(objects.deleted)
    }
}

extension ContextPart {
    /// Records the objects of a save, for hooks and observers that are notified afterwards.
    func collectSaved(_ objects: @autoclosure () -> ObjectsOfSave) {
        let context = context
        if context.telling.isWanted { context.telling.collectSaved(objects()) }
    }
}
