import DuramenModel

// Hooks are application code and may do anything with the context. So they run at the end of a
// fetch, merge or refresh.
extension ManagedObjectContext {
    /// Calls the hooks of objects that got values, in all parts.
    func awakeObjects() { for part in parts { part.awakeObjects() } }
}

extension ContextPart {
    /// Queues the hook of an object that got values from the store.
    @inline(never)
    func queueFetched(_ object: ManagedObject) { awaking.queueFetched(object) }

    /// Records that an object gets other values than by edits, for observers, lists and its hook.
    func recordNewValues(of object: ManagedObject, _ cause: SnapshotEvents) {
        events?.recordRefresh(of: object)
        if cause == .mergePolicy { events?.lists.record { $0.replaced.insert(object.objectID) } }
        queueReplaced(object, cause)
    }

    /// Queues the hook of an object whose values were replaced.
    @inline(__always)
    func queueReplaced(_ object: ManagedObject, _ events: SnapshotEvents) {
        if object.withPlan({ $0.hooks.contains(.awakeFromSnapshotEvents) }) {
            awaking.queueReplaced(object, events)
        }
    }

    /// Calls the hooks of objects of this part that got values.
    @inline(__always)
    func awakeObjects() {
        if !hooks.isDisjoint(with: .awaking) { callAwakeningHooks() }
    }

    private func callAwakeningHooks() {
        while !awaking.isEmpty {
            let objects = awaking.take()
            for object in objects.fetched where object.words != nil {
                object.withoutNotingChanges { object.awakeFromFetch() }
            }
            for (object, events) in objects.replaced
            where events == .undoInsertion || !object.flags.contains(.gone) {
                object.withoutNotingChanges { object.awake(fromSnapshotEvents: events) }
            }
        }
    }
}

extension LifecycleHooks {
    fileprivate static let awaking: LifecycleHooks = [.awakeFromFetch, .awakeFromSnapshotEvents]
}

extension ManagedObject {
    /// Whether the class overrides a hook.
    @inline(__always)
    final func overrides(_ hook: LifecycleHooks) -> Bool { withPlan { $0.hooks.contains(hook) } }

    /// Runs a closure whose attribute changes do not mark an unchanged object as changed.
    ///
    /// The changes are kept apart from the stored values. The object's next save writes them too,
    /// so that its row is then equal in every store.
    final func withoutNotingChanges(_ body: () throws -> Void) rethrows {
        let wasChanged = hasChanges
        let part = plan.handle.part(for: self)
        // Observers are notified of earlier changes, even if those were reverted.
        let wasTold = part.events?.changed[self] != nil
        defer {
            if !wasChanged, takeBackAttributeChanges(), !wasTold { part.events?.forget(self) }
        }
        try part.withoutRecordingUndo(body)
    }

    /// Removes the update record if only attributes were changed.
    ///
    /// - Returns: False if there were no changes, or changes of relationships.
    private final func takeBackAttributeChanges() -> Bool {
        guard isUpdated else { return false }
        let states = extra?.toManys ?? []
        let edited = editedSlots
        if states.contains(where: { $0?.hasEdits ?? false })
            || plan.toOnes.contains(where: { edited.contains($0.slot) })
        {
            return false
        }
        plan.handle.part(for: self).tracker.takeBackLastUpdate(of: self)
        flags.remove(.writable)
        if edited.isEmpty { extra?.base = nil }
        keepTransients()
        return true
    }
}
