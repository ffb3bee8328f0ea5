import DuramenModel

extension ManagedObjectContext {
    /// Whether something is to be saved.
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

    /// The objects deleted here whose deletion is not saved yet, and those that another context
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

    /// Deletes an object with the next save. A new object is simply forgotten.
    ///
    /// Delete rules are applied at the end of the unit of work, or by the next fetch or save.
    public func delete(_ object: ManagedObject) {
        requireOwner()
        requireOwn(object, for: "delete")
        main.delete(object)
    }

    /// Applies delete rules and merges other contexts' saves, as the end of a unit of work does. A
    /// child's parent merges first.
    public func processPendingChanges() {
        requireOwner()
        noticeStores()
        propagateDeletes()
        endUndoEvent()
        let top = mergeFromTop()
        // Rules have more to do where others saved new members of what is deleted here.
        propagateDeletes()
        top.tellOfUnit()
    }

    /// Merges what others saved, in the parent first.
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
    /// Rules that could not be applied, because something could not be read, are applied the next
    /// time; the failure is thrown by the next save.
    func propagateDeletes(forSave isSaving: Bool = false) {
        if !isSaving, !propagatesDeletesAtEndOfEvent { return }
        for part in parts { part.propagateDeletes() }
    }
}

extension ContextPart {
    /// Whether something is to be saved in this part's store.
    var hasOwnChanges: Bool { tracker.hasChanges }

    /// Deletes an object, which may be of another part: rules lead there.
    func delete(_ object: ManagedObject) {
        if object.plan.handle !== handle {
            return object.plan.handle.part(for: object).delete(object)
        }
        // What is deleted by the application itself stays so when a deletion that took it along is
        // dropped.
        object.flags.remove(.cascaded)
        prepareForDeletion(of: object)
        guard object.flags.isDisjoint(with: [.deleted, .deletedElsewhere, .gone]) else { return }
        if events != nil { recordChange(of: object) }
        undoRecorder?.recordDeletion(of: object)
        // A save under way calls the hooks of the deletion.
        object.flags.remove(.calledWillSave)
        tracker.delete(object)
    }

    fileprivate func propagateDeletes() {
        if tracker.deletesToPropagate.isEmpty { return }
        let context = context
        roundTrips?.beginOwnWork()
        defer { roundTrips?.endOwnWork() }
        var failed = ContiguousArray<ManagedObject>()
        // New objects are forgotten last: the rules of the others still read references to them.
        var unsaved: [ManagedObject] = []
        defer {
            tracker.postpone(failed)
            for object in unsaved { forget(object) }
        }
        while let object = tracker.nextToPropagate() {
            guard !object.flags.contains(.propagated) else { continue }
            object.flags.insert(.propagated)
            let failures = context.failures.errors.count
            // Its values say where its relationships lead.
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

    /// Notes the deleted objects whose rules are next as likely to be read, so that they come in
    /// groups.
    private func expectFaultsOfDeletedObjects() {
        for next in tracker.deletesToPropagate.suffix(500)
        where next.words == nil && next.key > 0 {
            next.plan.table.expectFault(of: next.objectID)
        }
    }

    /// Has the delete rules of an object applied again when it gets a destination that they did not
    /// know.
    ///
    /// - Parameter isSavedByOthers: Whether the destination came by merging, which no event of the
    ///   application did.
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
        // Nothing can refer to what is in no store, so that it need not deny.
        let isUnsaved = object.flags.contains(.inserted)
        if relationship.deleteRule == .deny, !isUnsaved, !destinations.isEmpty {
            tracker.deny(relationship, of: object)
        }
        for destination in destinations {
            // A deleted object is not told when a new one goes that it led to.
            if destination.words == nil, !mayBeRead(destination.objectID) { continue }
            if relationship.deleteRule == .cascade, !destination.flags.contains(.deleted) {
                delete(destination)
                if destination.flags.contains(.deleted) { destination.flags.insert(.cascaded) }
            }
            // A to-many forgets the object in any case: the store derives it from the rows that are
            // left. What `deny` protects stays as it is, so that the save can tell whether it was
            // deleted or moved away meanwhile.
            let clears = inverse.isToMany || relationship.deleteRule == .nullify || isUnsaved
            if clears, !destination.flags.contains(.gone) {
                destination.removeInverse(inverse, to: object)
                // A new member that is deleted too is forgotten, and does not say any more that it
                // is none.
                if destination.isInserted, !inverse.isToMany,
                    let index = relationship.storage.toManyIndex
                {
                    object.recordMember(destination.objectID, at: index, isAdded: false)
                }
            }
        }
    }

    /// Where a relationship leads, as objects.
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

    /// Takes a new object, deleted before it was saved, out of the context.
    private func forget(_ object: ManagedObject) {
        events?.record(object)
        tracker.takeBackInsertion(of: object)
        tracker.takeBackDeletion(of: object)
        object.flags.remove(.writable)
        object.flags.insert(.gone)
        object.plan.table.remove(object.key)
    }

    /// Takes out of the lists what is no longer in them.
    func compactChanges() {
        tellChildren()
        tracker.compact()
    }
}
