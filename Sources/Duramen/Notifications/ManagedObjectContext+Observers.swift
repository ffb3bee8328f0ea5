import DuramenModel
import DuramenStore

/// An observer of a context; see ``ManagedObjectContext/observe(_:)``.
public final class ContextObserver {
    private weak var events: ContextEvents?
    private let number: Int

    init(_ events: ContextEvents, _ number: Int) {
        self.events = events
        self.number = number
    }

    /// Ends the observation. Without it, it ends with the context.
    public func cancel() { events?.remove(number) }
}

@available(*, unavailable, message: "an observer belongs to its context's isolation")
extension ContextObserver: Sendable {}

extension ManagedObjectContext {
    /// Calls a closure with every event of the context, at once and in the context's isolation.
    ///
    /// The events of a save are: changed objects, will-save, the objects' `willSave`, changed
    /// objects again, validation, the write, the objects' `didSave`, did-save. A save without
    /// changes sends no events. A save of unknown outcome sends did-save when it is resolved. Other
    /// contexts merge later, between their units of work: did-merge, then changed objects. While
    /// there are observers or listeners, the context copies the row of each object at its first
    /// change in a unit of work.
    /// - Parameter body: The closure. It may change objects. It cannot save while a save is being
    ///   prepared.
    /// - Returns: The observer, for ending the observation.
    @discardableResult
    public func observe(
        _ body: @escaping (ContextEvent, ManagedObjectContext) -> Void
    ) -> ContextObserver {
        requireOwner()
        let events = ensureEvents()
        return ContextObserver(events, events.add(body))
    }

    /// Returns a listener to the context's notifications, which can be awaited from any isolation.
    ///
    /// It receives events after this call. See ``observe(_:)`` for their order, and
    /// ``Notifications`` for slow listeners.
    public func notifications() -> Notifications<ContextNotification> {
        ensureEvents().listeners.listen()
    }

    func ensureEvents() -> ContextEvents {
        if let events { return events }
        let made = ContextEvents()
        events = made
        for part in parts {
            part.subscribe()
            for object in part.tracker.written { object.flags.insert(.tellsWrites) }
            for object in part.tracker.touched { object.flags.insert(.tellsWrites) }
        }
        return made
    }

    /// Whether ``tellOfUnit()`` has something to do.
    var mustTellOfUnit: Bool {
        events != nil
            || parts.contains { !$0.awaking.isEmpty }
            || main.children.contains { $0.livePart?.context.mustTellOfUnit == true }
    }

    /// Schedules the notification of observers and lists, if there are any.
    func tellSoon() { if events != nil { main.scheduleTelling() } }

    /// Notifies observers of a unit of work, and calls hooks of objects that got values. Call it
    /// where application code may run.
    func tellOfUnit() {
        awakeObjects()
        if let events {
            propagateDeletes()
            events.process(self)
        }
        main.forEachChild { $0.context.tellOfUnit() }
    }
}

extension ContextPart {
    /// Records the first change of an object since the last save.
    @inline(never)
    func recordChange(of object: ManagedObject) {
        events?.record(object)
        scheduleTelling()
    }

    /// Records the first change of an object's to-many since the last save.
    func recordMemberChange(of object: ManagedObject) {
        events?.recordMembers(of: object)
        scheduleTelling()
    }

    /// Records a new object.
    @inline(never)
    func recordInsertion(of object: ManagedObject) {
        events?.recordInsertion(object)
        scheduleTelling()
    }

    /// Schedules the notification of observers.
    func scheduleTelling() {
        if !withContext({ $0.ownership.isPerforming }) { inbox.scheduleEndOfUnit() }
    }

    /// Notifies listeners of a save to the store, before other contexts are notified.
    func postDidSave(_ pending: PendingSave, _ generation: StoreGeneration?) {
        let hub = persistentStoreCoordinator.listeners
        let own = events?.listeners
        guard hub.isHeard || own?.isHeard == true else { return }
        var saved = SavedObjectIDs(
            contextName: context.name, author: context.transactionAuthor, store: handle.store,
            generation: generation)
        saved.inserted = pending.inserted.map(\.objectID).sorted()
        saved.deleted = pending.deleted.map(\.objectID).sorted()
        var updated = Set(pending.updated.map(\.objectID))
        for change in pending.changes.edges {
            for pair in change.added + change.removed {
                updated.formUnion([pair.source, pair.destination])
            }
        }
        saved.updated = updated.subtracting(saved.inserted).subtracting(saved.deleted).sorted()
        own?.post(.didSave(saved))
        // A save that wrote nothing is not reported to the container's listeners.
        if generation != nil { hub.post(.didSave(saved)) }
    }

    /// Notifies listeners of a save whose outcome was resolved later.
    func postDidSave(_ news: SavedChanges) {
        let changes = ObjectIDChanges([news], in: self)
        let saved = SavedObjectIDs(
            contextName: context.name, author: context.transactionAuthor, store: handle.store,
            inserted: changes.inserted, updated: changes.updated, deleted: changes.deleted)
        events?.listeners.post(.didSave(saved))
        persistentStoreCoordinator.listeners.post(.didSave(saved))
    }
}

extension PersistentContainer {
    /// Returns a listener to saves of all contexts, and to added and removed stores.
    ///
    /// It receives events after this call; see ``Notifications``.
    public func notifications() -> Notifications<ContainerNotification> {
        persistentStoreCoordinator.listeners.listen()
    }
}
