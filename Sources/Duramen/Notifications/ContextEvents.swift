import DuramenModel

/// What changed in a context since its observers and listeners were told, and who they are. A
/// context has it from the moment that somebody asks.
final class ContextEvents {
    /// An object as it was when the observers were told last.
    struct Before {
        /// The values; nil for those of a fault.
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
    /// The live lists of the context, and what is noted for them only.
    let lists = ContextLists()

    // MARK: - Who is told

    func add(_ body: @escaping (ContextEvent, ManagedObjectContext) -> Void) -> Int {
        lastNumber += 1
        observers.append((lastNumber, body))
        return lastNumber
    }

    func remove(_ number: Int) { observers.removeAll { $0.number == number } }

    private func tell(_ event: ContextEvent, _ context: ManagedObjectContext) {
        // One that is taken out by another is not called any more.
        for (number, body) in observers where observers.contains(where: { $0.number == number }) {
            body(event, context)
        }
    }

    // MARK: - What happened

    /// Notes an object that is new.
    func recordInsertion(_ object: ManagedObject) { changed[object] = Before(isNew: true) }

    /// Notes that an object is about to change, or, for one that was unchanged, just was. What
    /// counts is how it was the first time since the observers were told.
    ///
    /// - Returns: Whether it is the first time.
    @discardableResult
    func record(_ object: ManagedObject) -> Bool {
        if changed[object] != nil { return false }
        let wasDeleted = !object.flags.isDisjoint(with: [.deleted, .deletedElsewhere, .gone])
        changed[object] = Before(row: object.rowBeforeWrite, wasDeleted: wasDeleted)
        return true
    }

    /// Notes that a to-many of an object changes.
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

    /// Notes what a part of the context merged.
    func recordMerge(of saves: [SavedChanges], in part: ContextPart, isDoubtful: Bool) {
        merges.append(ObjectIDChanges(saves, in: part))
        lists.record { noted in
            noted.merged += saves.map { (part, $0) }
            if isDoubtful { noted.doubtful.insert(ObjectIdentifier(part)) }
        }
    }

    /// Forgets a change that is to count as none.
    func forget(_ object: ManagedObject) { changed[object] = nil }

    // MARK: - Telling

    func willSave(_ context: ManagedObjectContext) {
        process(context)
        tell(.willSave, context)
        listeners.post(.willSave)
    }

    func didSave(_ saved: SavedObjects, _ context: ManagedObjectContext) {
        tell(.didSave(saved), context)
    }

    /// Tells what happened since the last time.
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
            // The next write is news again.
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
