import DuramenModel

extension ManagedObjectContext {
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
    var inserted = ContiguousArray<ManagedObject>()
    var updated = ContiguousArray<ManagedObject>()
    var deleted: [ManagedObject] = []
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
    func collectSaved(_ pending: PendingSave) {
        let context = context
        guard context.telling.isWanted else { return }
        context.telling.collectSaved(pending, updated: tracker.updated.lazy.filter(\.isUpdated))
    }
}
