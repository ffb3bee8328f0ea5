import DuramenModel

extension ManagedObjectContext {
    /// Whether a hook, an observer or a listener is notified of saves.
    var tellsOfSaves: Bool {
        if events != nil { return true }
        return parts.contains { !$0.hooks.isDisjoint(with: .saving) }
    }

    /// Notifies observers of the coming save, and calls `willSave` until no object changes any
    /// more.
    func prepareChanges() throws {
        telling.prepare(isWanted: false)
        guard hasChanges else { return }
        main.savePhase.move(to: .preparing)
        defer { main.savePhase.move(to: .idle) }
        events?.willSave(self)
        if parts.contains(where: { $0.hooks.contains(.willSave) }) {
            try callWillSave()
            events?.process(self)
        }
        telling.prepare(isWanted: true)
    }

    /// Returns the new, changed and deleted objects of all parts that meet a condition.
    private func objectsToSave(_ condition: (ManagedObject) -> Bool) -> [ManagedObject] {
        var result: [ManagedObject] = []
        for part in parts {
            result += part.tracker.inserted.lazy.filter(condition)
            result += part.tracker.updated.lazy.filter { $0.isUpdated && condition($0) }
            result += part.tracker.deleted.lazy.filter { !$0.isInserted && condition($0) }
        }
        return result
    }

    /// The most passes in which one save calls `willSave` of objects that changed meanwhile.
    private static let passLimit = 100

    /// Throws if application code saves while another save is being prepared.
    func requireNoSaveInPreparation() throws {
        if main.savePhase.isPreparing {
            throw ContextError(
                .invalidRequest,
                "The context is about to save, so willSave and observers cannot save. Leave it to the save "
                    + "that is under way.")
        }
    }

    private func callWillSave() throws {
        var called = ContiguousArray<ManagedObject>()
        defer {
            telling.forgetStates()
            for object in called { object.flags.remove(.calledWillSave) }
        }
        for _ in 0..<Self.passLimit {
            propagateDeletes(forSave: true)
            let due = objectsToSave(mustCallWillSave)
            if due.isEmpty { return }
            called += due
            for object in due {
                telling.forgetState(of: object)
                object.flags.formUnion([.calledWillSave, .tellsWrites])
                object.willSave()
            }
        }
        guard let object = objectsToSave(mustCallWillSave).first else { return }
        throw ContextError(
            .unsettledSave,
            "willSave of \(object.objectID) or of another object changed it again and again, "
                + "\(Self.passLimit) times; nothing was saved. Assign a value only when it differs.",
            objectID: object.objectID)
    }

    /// Whether `willSave` was not called yet, or the object has changed since the last call.
    private func mustCallWillSave(of object: ManagedObject) -> Bool {
        guard object.overrides(.willSave) else { return false }
        if !object.flags.contains(.calledWillSave) { return true }
        return telling.statesAtWillSave[object]?.isPresent(in: object) == false
    }
}

extension ContextPart {
    /// Keeps the state of an object before a write that follows its `willSave`.
    func keepStateAtWillSave(of object: ManagedObject) {
        context.telling.record(SavedState(of: object), of: object)
    }
}

extension LifecycleHooks {
    fileprivate static let saving: LifecycleHooks = [.willSave, .didSave]
}
