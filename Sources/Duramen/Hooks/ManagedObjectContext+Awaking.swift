import DuramenModel

// Hooks run application code, which may do anything with the context. So they run at the end of a
// fetch, a merge or a refresh, not in the middle of it.
extension ManagedObjectContext {
    /// Calls the hooks of objects that were given values, in this and all other parts.
    func awakeObjects() { for part in parts { part.awakeObjects() } }
}

extension ContextPart {
    /// Has an object awake soon: it was given values from the store.
    @inline(never)
    func queueFetched(_ object: ManagedObject) { awaking.queueFetched(object) }

    /// Has an object awake soon: its values were replaced.
    @inline(__always)
    func queueReplaced(_ object: ManagedObject, _ events: SnapshotEvents) {
        if object.withPlan({ $0.hooks.contains(.awakeFromSnapshotEvents) }) {
            awaking.queueReplaced(object, events)
        }
    }

    /// Calls the hooks of objects of this part that were given values.
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

    /// Runs a closure whose changes of attributes do not make an unchanged object a changed one.
    ///
    /// They stay beside the stored values that they differ from, and go along with the next save of
    /// the object, so that its row is then the same in every store.
    final func withoutNotingChanges(_ body: () throws -> Void) rethrows {
        let wasChanged = hasChanges
        let part = plan.handle.part(for: self)
        // Observers are told of what was changed before, although it was taken back.
        let wasTold = part.events?.changed[self] != nil
        defer {
            if !wasChanged, takeBackAttributeChanges(), !wasTold { part.events?.forget(self) }
        }
        try part.withoutRecordingUndo(body)
    }

    /// - Returns: False when there were none, or others too.
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
