import DuramenModel

extension ManagedObjectContext {
    /// Whether there are changes to save.
    public var hasChanges: Bool {
        parts.contains(where: \.hasOwnChanges)
    }

    /// The new objects.
    public var insertedObjects: Set<ManagedObject> {
        requireOwner()
        var objects: Set<ManagedObject> = []
        for part in parts { objects.formUnion(part.tracker.inserted) }
        return objects
    }

    /// The saved objects with changes.
    public var updatedObjects: Set<ManagedObject> {
        requireOwner()
        var objects: Set<ManagedObject> = []
        for part in parts { objects.formUnion(part.tracker.updated.lazy.filter(\.isUpdated)) }
        return objects
    }

    /// The objects deleted here whose deletion is not saved yet, and objects that another context
    /// deleted since the last save.
    public var deletedObjects: Set<ManagedObject> {
        requireOwner()
        var objects: Set<ManagedObject> = []
        for part in parts {
            objects.formUnion(part.tracker.deleted)
            objects.formUnion(
                part.ledger.deletedElsewhere.lazy.compactMap(part.registeredHere).filter(
                    \.isDeleted))
        }
        return objects
    }

    /// Deletes an object with the next save. A new object is removed from the context without a
    /// save.
    ///
    /// Delete rules are applied at the end of the unit of work, or by the next fetch or save.
    public func delete(_ object: ManagedObject) {
        requireOwner()
        requireOwn(object, for: "delete")
        main.delete(object)
    }

    /// Applies delete rules and merges other contexts' saves, like the end of a unit of work. A
    /// child's parent merges first.
    public func processPendingChanges() {
        requireOwner()
        noticeStores()
        propagateDeletes()
        endUndoEvent()
        let top = mergeFromTop()
        // Merged saves may have added members to objects that are deleted here.
        propagateDeletes()
        top.tellOfUnit()
    }

    /// Merges saves of others, in the ancestors first.
    ///
    /// - Returns: The context at the top.
    private func mergeFromTop() -> ManagedObjectContext {
        var top = self
        while let parent = top.parent { top = parent }
        for part in top.parts {
            part.drainInbox()
            part.reading.letGo()
        }
        for part in parts { part.reading.letGo() }
        return top
    }

    /// Applies the delete rules of objects deleted since the last time.
    ///
    /// If something cannot be loaded, the rules that need it are applied the next time. The next
    /// save throws the error.
    func propagateDeletes(forSave isSaving: Bool = false) {
        if !isSaving, !propagatesDeletesAtEndOfEvent { return }
        for part in parts { part.propagateDeletes() }
    }
}

extension ContextPart {
    /// Whether there are changes to save in this part's store.
    var hasOwnChanges: Bool { tracker.hasChanges }

    /// Deletes an object, which may be of another part because rules can reach it.
    func delete(_ object: ManagedObject) {
        if object.plan.handle !== handle {
            return object.plan.handle.part(for: object).delete(object)
        }
        // An object that the application itself deletes stays deleted if a deletion that cascaded
        // to it is reverted.
        object.flags.remove(.cascaded)
        prepareForDeletion(of: object)
        guard object.flags.isDisjoint(with: [.deleted, .deletedElsewhere, .gone]) else { return }
        if events != nil { recordChange(of: object) }
        undoRecorder?.recordDeletion(of: object)
        // A save in progress calls `willSave` again, now for the deletion.
        object.flags.remove(.calledWillSave)
        tracker.delete(object)
    }

    fileprivate func propagateDeletes() {
        if tracker.deletesToPropagate.isEmpty { return }
        let context = context
        roundTrips?.beginOwnWork()
        defer { roundTrips?.endOwnWork() }
        var failed = ContiguousArray<ManagedObject>()
        // New objects are removed last, because rules of other objects still read references to
        // them.
        var unsaved: [ManagedObject] = []
        defer {
            tracker.postpone(failed)
            for object in unsaved { forget(object) }
        }
        while let object = tracker.nextToPropagate() {
            guard !object.flags.contains(.propagated) else { continue }
            object.flags.insert(.propagated)
            let failures = context.failures.errors.count
            // Its values are needed for its relationships.
            if object.words == nil {
                expectFaultsOfDeletedObjects()
                do {
                    try fulfillForDeletion(object)
                } catch {
                    object.report(faultError: error)
                }
            }
            undoRecorder?.beginRules(of: object)
            undoRecorder?.recordRelationships(ofDeleted: object, in: self)
            for relationship in object.plan.entity.relationships {
                propagate(relationship, of: object)
            }
            undoRecorder?.endRules()
            if context.failures.errors[failures...].contains(where: { $0 is StoreError }) {
                object.flags.remove(.propagated)
                failed.append(object)
            } else if object.flags.contains(.inserted) {
                unsaved.append(object)
            }
        }
    }

    /// Records the next deleted objects as likely to be loaded, so that they are loaded in groups.
    private func expectFaultsOfDeletedObjects() {
        for next in tracker.deletesToPropagate.suffix(500)
        where next.words == nil && next.key > 0 {
            next.plan.table.expectFault(of: next.objectID)
        }
    }

    /// Makes the delete rules of an object due again when it gets a destination that they did not
    /// see.
    ///
    /// - Parameters:
    ///   - object: The deleted object.
    ///   - isSavedByOthers: Whether the destination was merged from another save, so that no event
    ///     of the application added it.
    @inline(__always)
    func expectNewcomer(of object: ManagedObject, isSavedByOthers: Bool = true) {
        guard object.flags.contains([.deleted, .propagated]) else { return }
        tracker.propagateAgain(object)
        if isSavedByOthers { undoRecorder?.recordLateRules(of: object) }
    }

    /// Applies one delete rule.
    private func propagate(_ relationship: Relationship, of object: ManagedObject) {
        let inverse = model[relationship.inverse]
        let destinations = self.destinations(of: relationship, from: object)
        // The store contains no references to an unsaved object, so `deny` does not apply.
        let isUnsaved = object.flags.contains(.inserted)
        if relationship.deleteRule == .deny, !isUnsaved, !destinations.isEmpty {
            tracker.deny(relationship, of: object)
        }
        for destination in destinations {
            // A new destination that is gone need not be updated.
            if destination.words == nil, !mayBeRead(destination.objectID) { continue }
            if relationship.deleteRule == .cascade, !destination.flags.contains(.deleted) {
                delete(destination)
                if destination.flags.contains(.deleted) { destination.flags.insert(.cascaded) }
            }
            // A to-many always drops the object, because the store derives it from the remaining
            // rows. Destinations that `deny` protects are not changed, so that the save can detect
            // whether they were deleted or moved meanwhile.
            let clears = inverse.isToMany || relationship.deleteRule == .nullify || isUnsaved
            if clears, !destination.flags.contains(.gone) {
                destination.removeInverse(inverse, to: object)
                // A new member that is deleted too will be removed, and can no longer show that it
                // is not a member.
                if destination.isInserted, !inverse.isToMany,
                    let index = relationship.storage.toManyIndex
                {
                    object.recordMember(destination.objectID, at: index, isAdded: false)
                }
            }
        }
    }

    /// Returns the destinations of a relationship.
    func destinations(
        of relationship: Relationship, from object: ManagedObject
    ) -> [ManagedObject] {
        if let reference = object.plan.reference(for: relationship) {
            guard let row = object.row,
                let id = object.destinationID(of: reference, in: row)
            else { return [] }
            return registerFault(id).map { [$0] } ?? []
        }
        guard let index = relationship.storage.toManyIndex else { return [] }
        return object.members(at: index).compactMap(registerFault)
    }

    /// Removes a new object that was deleted before it was saved.
    private func forget(_ object: ManagedObject) {
        events?.record(object)
        tracker.takeBackInsertion(of: object)
        tracker.takeBackDeletion(of: object)
        object.flags.remove(.writable)
        object.flags.formUnion([.gone, .dropped])
        object.plan.table.remove(object.key)
    }

    /// Removes entries of reverted changes from the lists, after notifying the children of them.
    func compactChanges() {
        if !tracker.isSparse { return }
        tellChildren()
        tracker.compact()
    }
}
