import DuramenModel

extension ManagedObject {
    /// A to-many, by its number among the entity's to-manys.
    public final func toMany<Element: ManagedObject>(at index: Int) -> ToMany<Element> {
        ToMany(owner: self, index: index)
    }

    /// The members, ascending, with all edits applied.
    final func members(at index: Int) -> [ManagedObjectID] {
        noteRead(toMany: index)
        let context = plan.handle.context(for: self)
        let state = ensureExtra().state(at: index, of: plan)
        if let members = state.members, state.epoch == context.keyEpoch { return members }
        if state.stored == nil {
            do {
                try context.fulfillToMany(of: self, at: index)
            } catch {
                note(faultError: error)
                // Not kept, so that they are asked for again.
                return state.applyingEdits(to: [], in: context)
            }
        }
        let members = state.resolve(in: context)
        state.epoch = context.keyEpoch
        return members
    }

    final func hasMember(_ id: ManagedObjectID, at index: Int) -> Bool {
        noteRead(toMany: index)
        let context = plan.handle.context(for: self)
        let id = context.currentID(of: id)
        let relationship = plan.toManys[index]
        // The other side knows, if it is in memory.
        if case .inverseOfToOne = relationship.storage,
            let element = context.registeredObject(for: id), let row = element.row,
            let reference = element.plan.reference(for: context.model[relationship.inverse])
        {
            return element.destinationID(of: reference, in: row) == objectID && !element.isDeleted
        }
        let members = members(at: index)
        return relationship.isOrdered ? members.contains(id) : members.binarySearch(id) != nil
    }

    /// The member at a place of a list that ``members(at:)`` gave.
    final func member<Element: ManagedObject>(
        _ position: Int, of members: [ManagedObjectID], at index: Int
    ) -> Element {
        let context = plan.handle.context(for: self)
        let id = members[position]
        if let states = extra?.toManys, let state = states[index],
            position >= state.expectedCount || position == 0
        {
            state.expectedCount =
                context.expectWalk(
                    over: members[position...], of: self, at: index) + position
        }
        guard let object = context.registerFault(id) as? Element else {
            fatalError(
                "Duramen: '\(entity.name).\(plan.toManys[index].name)' leads to \(id), which is not "
                    + "of class \(Element.self). Name the class in the model.")
        }
        return object
    }

    final func insertMember(_ element: ManagedObject, at index: Int) {
        let context = plan.handle.context(for: self)
        context.requireOwn(element, relatedTo: self)
        let relationship = plan.toManys[index]
        guard
            context.ownEntity(of: element)?.isKind(of: context.model[relationship.destination])
                == true
        else {
            fatalError(
                "Duramen: \(element.objectID) cannot be in '\(entity.name).\(relationship.name)', "
                    + "which leads to '\(context.model[relationship.destination].name)'.")
        }
        switch relationship.storage {
        case .inverseOfToOne:
            if let back = element.plan.reference(for: context.model[relationship.inverse]) {
                element.setDestination(self, of: back, updatesInverse: true)
            }
        case .manyToMany: setEdge(relationship, to: element, isAdded: true)
        case .toOne: break
        }
    }

    final func removeMember(_ element: ManagedObject, at index: Int) {
        let context = plan.handle.context(for: self)
        context.requireOwn(element, relatedTo: self)
        let relationship = plan.toManys[index]
        switch relationship.storage {
        case .inverseOfToOne:
            guard let back = element.plan.reference(for: context.model[relationship.inverse]),
                hasMember(element.objectID, at: index)
            else { return }
            element.setDestination(nil, of: back, updatesInverse: true)
        case .manyToMany: setEdge(relationship, to: element, isAdded: false)
        case .toOne: break
        }
    }

    /// What is known of a to-many of this object; nil when nothing is.
    final func toManyState(of relationship: Relationship) -> ToManyState? {
        guard let states = extra?.toManys, !states.isEmpty,
            let index = plan.own(relationship)?.storage.toManyIndex
        else { return nil }
        return states[index]
    }

    /// Notes an edit of a to-many.
    final func noteMember(_ id: ManagedObjectID, at index: Int, isAdded: Bool) {
        telling(toMany: index) { keepMember(id, at: index, isAdded: isAdded) }
    }

    @inline(__always)
    private final func keepMember(_ id: ManagedObjectID, at index: Int, isAdded: Bool) {
        if isAdded, flags.contains([.deleted, .propagated]) {
            plan.handle.context(for: self).noteNewcomer(of: self)
        }
        if extraReference == nil { extra = ObjectExtra() }
        let isFirst = extraReference?._withUnsafeGuaranteedRef {
            extra in withPlan { extra.note(id, at: index, isAdded: isAdded, of: $0) }
        }
        if isFirst == true {
            let context = plan.handle.context(for: self)
            context.touched.append(self)
            if context.events != nil { context.noteMemberEvent(of: self) }
        }
    }

    /// Makes the edits of to-manys part of what is stored, after a save.
    final func commitToManys(in context: ManagedObjectContext) {
        for state in extra?.toManys ?? [] { state?.commit(in: context) }
    }

    /// Drops the edits of to-manys.
    final func forgetToManys() {
        for (state, relationship) in zip(extra?.toManys ?? [], plan.toManys) {
            tellingMerge(toMany: relationship) { state?.forget() }
        }
    }

    /// Adds or removes a many-to-many pair on both sides.
    private final func setEdge(
        _ relationship: Relationship, to element: ManagedObject, isAdded: Bool
    ) {
        let context = plan.handle.context(for: self)
        if flags.contains(.gone) { return }
        if element.flags.contains(.gone) {
            if isAdded { note(faultError: ContextError.objectNotFound(element.objectID)) }
            return
        }
        let inverse = context.model[relationship.inverse]
        if let index = relationship.storage.toManyIndex {
            noteMember(element.objectID, at: index, isAdded: isAdded)
        }
        if let index = inverse.storage.toManyIndex {
            element.noteMember(objectID, at: index, isAdded: isAdded)
        }
        context.noteEdge(relationship, from: self, to: element, isAdded: isAdded)
    }
}

extension [ManagedObjectID] {
    /// Where an ID stands in an ascending list; nil when it is not there.
    func binarySearch(_ id: ManagedObjectID) -> Int? {
        let place = insertionPoint(of: id)
        return place < count && self[place] == id ? place : nil
    }

    /// Where an ID stands in an ascending list, or would.
    func insertionPoint(of id: ManagedObjectID) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
