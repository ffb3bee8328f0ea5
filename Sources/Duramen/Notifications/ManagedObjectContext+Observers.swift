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
    /// Calls a closure with everything that happens in the context, at once and in its isolation.
    ///
    /// The order of a save is: changed objects, will-save, the objects' `willSave`, changed objects
    /// again, validation, the write, the objects' `didSave`, did-save. A save without changes tells
    /// nothing. Other contexts merge later, between their units of work: did-merge, then changed
    /// objects. While somebody observes or listens, the context notes each object's first change of
    /// a unit of work, at the cost of a copy of its row; otherwise nothing is noted.
    /// - Parameter body: May change objects. It cannot save while a save is prepared.
    @discardableResult
    public func observe(
        _ body: @escaping (ContextEvent, ManagedObjectContext) -> Void
    ) -> ContextObserver {
        requireOwner()
        let events = ensureEvents()
        return ContextObserver(events, events.add(body))
    }

    /// Begins to listen to what happens in the context: values, to be awaited anywhere.
    ///
    /// The listener hears what happens after this call. See ``observe(_:)`` for the order, and
    /// ``Notifications`` for listeners that are slow.
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

    /// Tells what a unit of work brought, and calls hooks of objects that were given values. Call
    /// it where the application's code may run.
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
    /// Notes that an object changed first since the last save.
    @inline(never)
    func recordChange(of object: ManagedObject) {
        events?.record(object)
        scheduleTelling()
    }

    /// Notes that a to-many of an object was changed first since the last save.
    func recordMemberChange(of object: ManagedObject) {
        events?.recordMembers(of: object)
        scheduleTelling()
    }

    /// Notes a new object.
    @inline(never)
    func recordInsertion(of object: ManagedObject) {
        events?.recordInsertion(object)
        scheduleTelling()
    }

    /// Makes sure that observers are told soon.
    func scheduleTelling() {
        if !withContext({ $0.ownership.isPerforming }) { inbox.scheduleEndOfUnit() }
    }

    /// Tells listeners what a save wrote to the store, before other contexts are told.
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
        // A save without anything to write is none to others.
        if generation != nil { hub.post(.didSave(saved)) }
    }

    /// Tells listeners of a save whose outcome was found out.
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
    /// Begins to listen to saves of all contexts, and to stores that are added and removed.
    ///
    /// The listener hears what happens after this call; see ``Notifications``.
    public func notifications() -> Notifications<ContainerNotification> {
        persistentStoreCoordinator.listeners.listen()
    }
}
