import DuramenModel
import DuramenStore

/// An object that the next save depends on.
struct ObjectGuard {
    /// What the context knew of it.
    let row: Row
    /// Whether a save was refused since because of the object.
    var isRefused = false
}

extension ManagedObjectContext {
    /// Makes the next save depend on an object as if it were changed. The save throws a
    /// ``SaveConflictError`` if another save has changed or deleted the object.
    ///
    /// A save compares the objects that it writes. That excludes lost updates, but not that two
    /// contexts each read what the other one writes, decide, and both save ("write skew"): the last
    /// two doctors on call, each of whom goes home because the other one stays. Whoever guards what
    /// a decision was read from excludes that too.
    ///
    /// ```swift
    /// let others = try context.fetch(FetchRequest<Doctor>().where { $0.isOnCall }).filter { $0 !== me }
    /// for other in others { try context.guard(other) }
    /// if !others.isEmpty { me.isOnCall = false }
    /// try context.save()
    /// ```
    ///
    /// An object that somebody inserts meanwhile is none of the guarded ones: to exclude that, have
    /// everybody who inserts change an object that stands for all of them, and guard that one.
    ///
    /// The guard holds what the object was when it was first guarded: values that are merged later
    /// conflict, even if they are known here. A refresh of the object renews it, and so does
    /// another call after a save was refused. It ends with a successful save, a rollback or a
    /// reset. A save with guards and nothing else compares them too. As a guarded object need not
    /// have changes, there is nothing to merge: its conflict is thrown whatever the merge policy.
    /// Its store must be open for writing, since only writers wait for each other. A new object has
    /// nothing to compare; guarding one does nothing. In a child it is the context at the top that
    /// guards the object, since that one saves to the store.
    /// - Throws: ``ContextError`` `.objectNotFound` when the object is gone, or the store's error
    ///   when it is a fault and cannot be read.
    /// - Complexity: One look-up by key in each save.
    public func `guard`(_ object: ManagedObject) throws {
        requireOwner()
        requireOwn(object, for: "guard")
        try object.plan.handle.part(for: object).guard(object)
    }

    /// Does the same as ``guard(_:)``, under Core Data's name.
    public func detectConflicts(for object: ManagedObject) throws { try self.guard(object) }

    /// The objects that the next save depends on without need to change them.
    public var guardedObjects: Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        for part in parts { objects.formUnion(part.tracker.guarded.keys) }
        return objects
    }
}

extension ContextPart {
    /// Guards an object of this part.
    fileprivate func `guard`(_ object: ManagedObject) throws {
        if let parent = parentPart?.context {
            let id = object.objectID
            if id.isTemporaryID { return }
            return try parent.guard(parent.existingObject(with: id))
        }
        if object.flags.contains(.inserted) || tracker.guarded[object]?.isRefused == false {
            return
        }
        tracker.guard(object, try comparableRow(of: object))
    }

    /// Whether a save has something to do in this part's store.
    var mustSave: Bool { tracker.hasChanges || !tracker.guarded.isEmpty }

    /// What a save has to compare.
    var guardChecks: [RowCheck] {
        tracker.guarded.sorted { $0.key.objectID < $1.key.objectID }
            .map { RowCheck(id: $0.objectID, baseVersion: $1.row.version) }
    }

    /// Renews the guard of an object that was refreshed.
    func guardAgain(_ object: ManagedObject) throws {
        if tracker.guarded.isEmpty || tracker.guarded[object] == nil { return }
        tracker.guard(object, try comparableRow(of: object))
    }

    /// The values that a conflict is based on: those of the guard if it is the guard's.
    func guardedRow(of object: ManagedObject?, _ version: RowVersion) -> Row? {
        if tracker.guarded.isEmpty { return nil }
        guard let object, let row = tracker.guarded[object]?.row, row.version == version else {
            return nil
        }
        return row
    }

    /// Has an object without changes read anew when it is needed.
    func forgetValues(of object: ManagedObject) {
        forgetMembership(of: object)
        object.turnIntoFault()
    }

    /// The row of an object as it was read, which is not written any more.
    private func comparableRow(of object: ManagedObject) throws -> Row {
        try object.load()
        guard object.flags.isDisjoint(with: [.gone, .deletedElsewhere]),
            let row = object.extra?.base ?? object.row
        else { throw ContextError.objectNotFound(object.objectID) }
        return row
    }
}
