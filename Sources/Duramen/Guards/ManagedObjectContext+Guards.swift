import DuramenModel
import DuramenStore

/// An object that the next save depends on.
struct ObjectGuard {
    /// The object's row when it was guarded.
    let row: Row
    /// Whether a save has since failed because of the object.
    var isRefused = false
}

extension ManagedObjectContext {
    /// Makes the next save depend on an object as if it were changed. The save throws a
    /// ``SaveConflictError`` if another save has changed or deleted the object.
    ///
    /// A save compares the objects that it writes. This prevents lost updates, but not write skew:
    /// two contexts each read an object that the other one writes, decide, and both save. For
    /// example, each of the last two doctors on call goes home because the other one stays. To
    /// prevent this, guard the objects that a decision was based on.
    ///
    /// ```swift
    /// let others = try context.fetch(FetchRequest<Doctor>().where { $0.isOnCall == true })
    ///     .filter { $0 !== me }
    /// for other in others { try context.guard(other) }
    /// if !others.isEmpty { me.isOnCall = false }
    /// try context.save()
    /// ```
    ///
    /// Guards do not cover objects that are inserted meanwhile. To prevent such insertions, let
    /// every insertion change an object that represents the whole set, and guard that object.
    ///
    /// - Compared values: The guard holds the object's values when it was first guarded. Values
    ///   that are merged later still conflict.
    /// - Lifetime: A refresh of the object renews the guard, and so does another call after a
    ///   failed save. A successful save, a rollback or a reset ends it.
    /// - Saving: A save with only guards compares them too. The store must be open for writing,
    ///   because only writers wait for each other.
    /// - Conflicts: A guarded object may have no changes to merge. So its conflict is thrown under
    ///   every merge policy.
    /// - New objects: Guarding a new object does nothing, because there is nothing to compare.
    /// - Children: In a child, the context at the top guards the object, because it saves to the
    ///   store.
    /// - Throws: ``ContextError`` `.objectNotFound` if the object is gone, or the store's error if
    ///   it is a fault and cannot be loaded.
    /// - Complexity: One look-up by key in each save.
    public func `guard`(_ object: ManagedObject) throws {
        requireOwner()
        requireOwn(object, for: "guard")
        try object.plan.handle.part(for: object).guard(object)
    }

    /// Guards an object; the same as ``guard(_:)``, under Core Data's name.
    public func detectConflicts(for object: ManagedObject) throws { try self.guard(object) }

    /// The objects that the next save depends on, changed or not.
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

    /// Whether a save must write or compare something in this part's store.
    var mustSave: Bool { tracker.hasChanges || !tracker.guarded.isEmpty }

    /// The row versions that a save compares for guards.
    var guardChecks: [RowCheck] {
        tracker.guarded.sorted { $0.key.objectID < $1.key.objectID }
            .map { RowCheck(id: $0.objectID, baseVersion: $1.row.version) }
    }

    /// Renews the guard of an object that was refreshed.
    func guardAgain(_ object: ManagedObject) throws {
        if tracker.guarded.isEmpty || tracker.guarded[object] == nil { return }
        tracker.guard(object, try comparableRow(of: object))
    }

    /// Returns the guard's row if a conflict is based on the guard; otherwise nil.
    func guardedRow(of object: ManagedObject?, _ version: RowVersion) -> Row? {
        if tracker.guarded.isEmpty { return nil }
        guard let object, let row = tracker.guarded[object]?.row, row.version == version else {
            return nil
        }
        return row
    }

    /// Makes an unchanged object a fault, so that it is loaded again when it is needed.
    func forgetValues(of object: ManagedObject) {
        forgetMembership(of: object)
        object.turnIntoFault()
    }

    /// Returns the loaded row of an object, without its edits.
    private func comparableRow(of object: ManagedObject) throws -> Row {
        try object.load()
        guard object.flags.isDisjoint(with: [.gone, .deletedElsewhere]),
            let row = object.extra?.base ?? object.row
        else { throw ContextError.objectNotFound(object.objectID) }
        return row
    }
}
