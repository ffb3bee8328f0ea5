import DuramenModel

/// The observers and listeners of a context, and its changes since they were last notified. Created
/// when first needed.
final class ContextEvents {
    /// The state of an object when observers were last notified.
    struct Before {
        /// The values; nil for a fault.
        var row: Row?
        var isNew = false
        var wasDeleted = false
        var hasOtherMembers = false
    }

    let listeners = NotificationHub<ContextNotification>(missed: .missed)
    private var observers: [(number: Int, body: (ContextEvent, ManagedObjectContext) -> Void)] = []
    private var lastNumber = 0

    private(set) var changed: [ManagedObject: Before] = [:]
    private var refreshed: Set<ManagedObject> = []
    private var invalidated: Set<ManagedObject> = []
    private var invalidatedAll = false
    private var merges: [ObjectIDChanges] = []
    /// The live lists of the context, and changes recorded only for them.
    let lists = ContextLists()

    // MARK: - Observers

    func add(_ body: @escaping (ContextEvent, ManagedObjectContext) -> Void) -> Int {
        lastNumber += 1
        observers.append((lastNumber, body))
        return lastNumber
    }

    func remove(_ number: Int) { observers.removeAll { $0.number == number } }

    private func tell(_ event: ContextEvent, _ context: ManagedObjectContext) {
        // An observer that another one removed is not called any more.
        for (number, body) in observers where observers.contains(where: { $0.number == number }) {
            body(event, context)
        }
    }

    // MARK: - Recording

    /// Records a new object.
    func recordInsertion(_ object: ManagedObject) { changed[object] = Before(isNew: true) }

    /// Records an object that is about to change, or that has just changed for the first time. Only
    /// the first state since the last notification is kept.
    ///
    /// - Returns: Whether it is the first change.
    @discardableResult
    func record(_ object: ManagedObject) -> Bool {
        if changed[object] != nil { return false }
        let wasDeleted = !object.flags.isDisjoint(with: [.deleted, .deletedElsewhere, .gone])
        changed[object] = Before(row: object.rowBeforeWrite, wasDeleted: wasDeleted)
        return true
    }

    /// Records a change of an object's to-many.
    func recordMembers(of object: ManagedObject) {
        record(object)
        changed[object]?.hasOtherMembers = true
    }

    func recordRefresh(of object: ManagedObject) { refreshed.insert(object) }

    func recordInvalidation(of object: ManagedObject) { invalidated.insert(object) }

    func recordReset() {
        changed = [:]
        refreshed = []
        invalidated = []
        invalidatedAll = true
        lists.record { $0.isReset = true }
    }

    /// Records saves that a part of the context merged.
    func recordMerge(of saves: [SavedChanges], in part: ContextPart, isDoubtful: Bool) {
        if !observers.isEmpty || listeners.isHeard {
            merges.append(ObjectIDChanges(saves, in: part))
        }
        lists.record { noted in
            noted.merged += saves.map { (part, $0) }
            if isDoubtful { noted.doubtful.insert(ObjectIdentifier(part)) }
        }
    }

    /// Removes the record of a change that does not count.
    func forget(_ object: ManagedObject) { changed[object] = nil }

    // MARK: - Notifying

    func willSave(_ context: ManagedObjectContext) {
        process(context)
        tell(.willSave, context)
        listeners.post(.willSave)
    }

    func didSave(_ saved: SavedObjects, _ context: ManagedObjectContext) {
        tell(.didSave(saved), context)
    }

    /// Notifies observers of the changes since the last time.
    func process(_ context: ManagedObjectContext) {
        lists.take(changed, refreshed, in: context)
        let merges = merges
        self.merges = []
        for changes in merges {
            tell(.didMerge(changes), context)
            listeners.post(.didMerge(changes))
        }
        let changes = takeChanges()
        if !changes.isEmpty {
            if listeners.isHeard { listeners.post(.objectsDidChange(ObjectIDChanges(changes))) }
            tell(.objectsDidChange(changes), context)
        }
        lists.update()
    }

    private func takeChanges() -> ObjectChanges {
        var changes = ObjectChanges()
        changes.refreshed = refreshed
        changes.invalidated = invalidated
        changes.invalidatedAll = invalidatedAll
        for (object, before) in changed {
            // The next write must be recorded again.
            if object.hasChanges || before.hasOtherMembers { object.flags.insert(.tellsWrites) }
            let isDeleted = !object.flags.isDisjoint(with: [.deleted, .deletedElsewhere, .gone])
            if before.isNew {
                if !isDeleted { changes.inserted.insert(object) }
            } else if isDeleted {
                if !before.wasDeleted { changes.deleted.insert(object) }
            } else if !refreshed.contains(object), object.differs(from: before) {
                changes.updated.insert(object)
            }
        }
        changes.refreshed.subtract(changes.deleted)
        changed = [:]
        refreshed = []
        invalidated = []
        invalidatedAll = false
        return changes
    }
}

extension ManagedObject {
    fileprivate final func differs(from before: ContextEvents.Before) -> Bool {
        if before.hasOtherMembers || before.wasDeleted { return true }
        guard let old = before.row, let row else { return before.row != nil || row != nil }
        let kinds = plan.layout.kinds
        return kinds.indices.contains { !row.hasSameValue($0, kinds[$0], as: old) }
    }
}
