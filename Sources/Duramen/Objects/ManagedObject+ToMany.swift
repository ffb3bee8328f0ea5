import DuramenModel

extension ManagedObject {
    /// Returns a to-many by its index among the entity's to-manys.
    public final func toMany<Element: ManagedObject>(at index: Int) -> ToMany<Element> {
        ToMany(owner: self, index: index)
    }

    /// Returns the members, ascending or in their order, with all edits applied.
    final func members(at index: Int) -> [ManagedObjectID] {
        reading(index) { state, part in state.resolve(of: self, at: index, in: part) }
            ?? unreadMembers(at: index)
    }

    /// Returns the number of members, without iterating over them.
    final func memberCount(at index: Int) -> Int {
        reading(index) { state, part in state.count(of: self, at: index, in: part) }
            ?? unreadMembers(at: index).count
    }

    /// Loads a to-many if needed, and runs `body` with its state. Returns nil if it cannot be
    /// loaded.
    private func reading<R>(
        _ index: Int, _ body: (ToManyState, ContextPart) -> R
    ) -> R? {
        reportRead(toMany: index)
        let part = plan.handle.part(for: self)
        let state = ensureExtra().state(at: index)
        if !state.isKnown(in: part), !state.isLoaded {
            do {
                try part.fulfillToMany(of: self, at: index)
            } catch {
                if part.roundTrips?.keepsForbidden(error, self, in: part) != true {
                    report(faultError: error)
                }
                return nil
            }
        }
        return body(state, part)
    }

    /// Returns the edits of a to-many that cannot be loaded. They are not kept, so that the next
    /// access tries again.
    private func unreadMembers(at index: Int) -> [ManagedObjectID] {
        ensureExtra().state(at: index).applyingEdits(
            to: [], of: self, at: index, in: plan.handle.part(for: self))
    }

    final func hasMember(_ id: ManagedObjectID, at index: Int) -> Bool {
        reportRead(toMany: index)
        let part = plan.handle.part(for: self)
        let id = part.currentID(of: id)
        if let isMember = isDestination(of: id, at: index, in: part) { return isMember }
        return plan.toManys[index].isOrdered
            ? position(of: id, at: index) != nil
            : reading(index) { state, part in
                state.contains(id, of: self, at: index, in: part)
            } ?? (unreadMembers(at: index).binarySearch(id) != nil)
    }

    /// Whether the inverse to-one of an object refers to this object; nil if the inverse is not a
    /// to-one or not in memory.
    final func isDestination(
        of id: ManagedObjectID, at index: Int, in part: ContextPart
    ) -> Bool? {
        let relationship = plan.toManys[index]
        guard case .inverseOfToOne = relationship.storage,
            let element = part.registeredObject(for: id), let row = element.row,
            let reference = element.plan.reference(for: part.model[relationship.inverse])
        else { return nil }
        return element.destinationID(of: reference, in: row) == objectID && !element.isDeleted
    }

    /// Returns the member at an index of a list that ``members(at:)`` returned.
    final func member<Element: ManagedObject>(
        _ position: Int, of members: [ManagedObjectID], at index: Int
    ) -> Element {
        let part = plan.handle.part(for: self)
        let id = members[position]
        var object = part.registeredObject(for: id)
        if object == nil || object?.words == nil && object?.storage == nil {
            object = part.memberToWalkFrom(position, in: members, of: self, at: index)
        }
        guard let object = object as? Element else {
            fatalError(
                "Duramen: '\(entity.name).\(plan.toManys[index].name)' refers to \(id), which is not "
                    + "of class \(Element.self). Name the class in the model.")
        }
        return object
    }

    final func insertMember(_ element: ManagedObject, at index: Int) {
        let part = plan.handle.part(for: self)
        part.requireOwn(element, relatedTo: self)
        let relationship = plan.toManys[index]
        guard
            part.ownEntity(of: element)?.isKind(of: part.model[relationship.destination])
                == true
        else {
            fatalError(
                "Duramen: \(element.objectID) cannot be in '\(entity.name).\(relationship.name)', "
                    + "whose destination is '\(part.model[relationship.destination].name)'.")
        }
        switch relationship.storage {
        case .inverseOfToOne:
            if let back = element.plan.reference(for: part.model[relationship.inverse]) {
                element.setDestination(self, of: back, updatesInverse: true)
            }
        case .manyToMany: setEdge(relationship, to: element, isAdded: true)
        case .toOne: break
        }
    }

    final func removeMember(_ element: ManagedObject, at index: Int) {
        let part = plan.handle.part(for: self)
        part.requireOwn(element, relatedTo: self)
        let relationship = plan.toManys[index]
        switch relationship.storage {
        case .inverseOfToOne:
            guard let back = element.plan.reference(for: part.model[relationship.inverse]),
                hasMember(element.objectID, at: index)
            else { return }
            element.setDestination(nil, of: back, updatesInverse: true)
        case .manyToMany: setEdge(relationship, to: element, isAdded: false)
        case .toOne: break
        }
    }

    /// Returns a list of members with the edits of a to-many applied.
    final func applyingEdits(
        to members: [ManagedObjectID], of relationship: Relationship,
        in part: ContextPart
    ) -> [ManagedObjectID] {
        guard let states = extra?.toManys, !states.isEmpty,
            let index = plan.own(relationship)?.storage.toManyIndex, let state = states[index]
        else { return members }
        return state.applyingEdits(to: members, of: self, at: index, in: part)
    }

    /// Returns the state of a to-many of this object; nil if there is none.
    final func toManyState(of relationship: Relationship) -> ToManyState? {
        guard let states = extra?.toManys, !states.isEmpty,
            let index = plan.own(relationship)?.storage.toManyIndex
        else { return nil }
        return states[index]
    }

    /// Records an edit of a to-many.
    @inline(never)
    final func recordMember(_ id: ManagedObjectID, at index: Int, isAdded: Bool) {
        telling(toMany: index) { keepMember(id, at: index, isAdded: isAdded) }
    }

    @inline(__always)
    private final func keepMember(_ id: ManagedObjectID, at index: Int, isAdded: Bool) {
        if isAdded, flags.contains([.deleted, .propagated]) {
            withPart { $0.expectNewcomer(of: self, isSavedByOthers: false) }
        }
        if !hasExtra { ensureExtra() }
        let isFirst = withExtra { $0.record(id, at: index, isAdded: isAdded) } == true
        withPart { part in
            if isFirst { part.tracker.touch(self) }
            // The first write of a unit of work may have been to an attribute.
            if part.events != nil { part.recordMemberChange(of: self) }
        }
    }

    /// Makes the edits of to-manys part of the stored state, after a save.
    final func commitToManys(in part: ContextPart) {
        for (index, state) in (extra?.toManys ?? []).enumerated() {
            state?.commit(of: self, at: index, in: part)
        }
    }

    /// Discards the edits of to-manys.
    final func forgetToManys() {
        for (state, relationship) in zip(extra?.toManys ?? [], plan.toManys) {
            tellingMerge(toMany: relationship) { state?.forget() }
        }
    }

    /// Adds or removes a many-to-many pair on both sides.
    private final func setEdge(
        _ relationship: Relationship, to element: ManagedObject, isAdded: Bool
    ) {
        let part = plan.handle.part(for: self)
        if flags.contains(.gone) { return reportLostWrite(to: relationship.name) }
        if element.flags.contains(.gone) {
            if isAdded {
                report(
                    faultError: ContextError.objectNotFound(
                        element.objectID, asDestinationOf: relationship.name, of: objectID))
            }
            return
        }
        part.undoRecorder?.recordPair(relationship, from: self, to: element, in: part)
        let inverse = part.model[relationship.inverse]
        if let index = relationship.storage.toManyIndex {
            recordMember(element.objectID, at: index, isAdded: isAdded)
        }
        if let index = inverse.storage.toManyIndex {
            element.recordMember(objectID, at: index, isAdded: isAdded)
        }
        part.recordEdge(relationship, from: self, to: element, isAdded: isAdded)
    }
}
