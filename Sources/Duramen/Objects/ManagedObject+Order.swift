import DuramenModel
import DuramenStore

extension ManagedObject {
    /// Returns an ordered to-many by its index among the entity's to-manys.
    public final func orderedToMany<Element: ManagedObject>(at index: Int) -> OrderedToMany<Element>
    {
        OrderedToMany(owner: self, index: index)
    }

    /// Returns the number of members of an ordered to-many.
    final func orderedMemberCount(at index: Int) -> Int {
        currentMembers(at: index)?.count ?? sequence(at: index).count
    }

    /// Returns the member at an index of an ordered to-many.
    final func orderedMember<Element: ManagedObject>(_ position: Int, at index: Int) -> Element {
        if let members = currentMembers(at: index) {
            return member(position, of: members, at: index)
        }
        let id = sequence(at: index)[position]
        let part = plan.handle.part(for: self)
        if let known = part.registeredObject(for: id),
            known.words != nil || known.storage != nil,
            let element = known as? Element
        {
            return element
        }
        return member(position, of: members(at: index), at: index)
    }

    /// Returns the index of a member of an ordered to-many; nil if it is not a member.
    final func position(of id: ManagedObjectID, at index: Int) -> Int? {
        let id = plan.handle.part(for: self).currentID(of: id)
        if let members = currentMembers(at: index) { return members.firstIndex(of: id) }
        return sequence(at: index).position(of: id)
    }

    /// Returns the members of an ordered to-many as an array, which is still built for the first
    /// edit after loading. Later returns nil, and members are looked up in a ``MemberSequence``.
    private final func currentMembers(at index: Int) -> [ManagedObjectID]? {
        let state = ensureExtra().state(at: index)
        if let known = state.known(in: plan.handle.part(for: self)) {
            reportRead(toMany: index)
            return known
        }
        return state.editsByPosition ? nil : members(at: index)
    }

    /// Returns the members of an ordered to-many, for editing by index.
    private final func sequence(at index: Int) -> MemberSequence {
        reportRead(toMany: index)
        let state = ensureExtra().state(at: index)
        let part = plan.handle.part(for: self)
        // Loads the members. If that fails, there are none.
        if !state.isLoaded { return MemberSequence(members(at: index)) }
        return state.sequence(of: self, at: index, in: part)
    }

    /// Moves a member of an ordered to-many to an index.
    final func placeMember(_ id: ManagedObjectID, _ position: Int, at index: Int) {
        let sequence = sequence(at: index)
        // An object that is gone was not added.
        guard let old = sequence.position(of: id) else { return }
        guard (0..<sequence.count).contains(position) else {
            fatalError(
                "Duramen: '\(entity.name).\(plan.toManys[index].name)' of \(objectID) has no offset "
                    + "\(position); it has \(sequence.count - 1) other members.")
        }
        if old == position { return }
        if !flags.isDisjoint(with: [.gone, .deleted]) {
            return reportLostWrite(to: plan.toManys[index].name)
        }
        // Observers are notified first, and may resolve the members, which discards the sequence.
        rearrange(index) { state in
            state.place(id, at: position, in: self.sequence(at: index))
        }
    }

    /// Changes the order of members, and records the change.
    private final func rearrange(_ index: Int, _ body: (ToManyState) -> Void) {
        let part = plan.handle.part(for: self)
        let state = ensureExtra().state(at: index)
        telling(toMany: index) {
            if !state.hasEdits { part.tracker.touch(self) }
            body(state)
            part.recordUpdate(of: self)
        }
        if part.events != nil { part.recordMemberChange(of: self) }
    }

    /// Sets the order of an ordered to-many's members. Members missing in `ids` follow in their
    /// present order.
    final func arrangeMembers(_ ids: [ManagedObjectID], at index: Int) {
        let members = members(at: index)
        let known = Set(members)
        var seen: Set<ManagedObjectID> = []
        let front = ids.filter { known.contains($0) && seen.insert($0).inserted }
        let list = front + members.filter { !seen.contains($0) }
        guard list != members else { return }
        if !flags.isDisjoint(with: [.gone, .deleted]) {
            return reportLostWrite(to: plan.toManys[index].name)
        }
        let part = plan.handle.part(for: self)
        rearrange(index) { state in state.arrange(list, in: part) }
    }

    /// Whether members of an ordered to-many were moved since the last save.
    final var hasArrangedMembers: Bool {
        extra?.toManys.contains { $0?.order?.isArranged == true } ?? false
    }

    /// Makes the order numbers of a save of unknown outcome, which was committed, the base of later
    /// moves.
    final func settlePositions() {
        for state in extra?.toManys ?? [] { state?.order?.settle() }
    }

    /// Whether members of an ordered to-many have other positions than the stored ones.
    final func hasUnsavedPositions(in part: ContextPart) -> Bool {
        extra?.toManys.contains { $0?.order?.isRearranged(in: part) == true } ?? false
    }

    /// Sets the order number of this object among the members of a to-one's ordered inverse.
    final func setOrderNumber(_ number: Int64, of reference: ReferencePlan) {
        guard let slot = reference.orderSlot else { return }
        if !flags.contains(.writable) { guard becomeWritable() else { return } }
        mutableRow?.set(integer: number, at: slot)
    }
}

extension ContextPart {
    /// Assigns order numbers to the members of all edited ordered to-manys, in the members' rows or
    /// for their pairs.
    func numberMembers() throws {
        tracker.beginNumbering()
        for owner in tracker.touched where owner.flags.isDisjoint(with: [.deleted, .gone]) {
            for (index, state) in (owner.extra?.toManys ?? []).enumerated() {
                guard let state, let order = state.order, state.hasEdits else { continue }
                if !state.isLoaded { try fulfillToMany(of: owner, at: index) }
                let relationship = owner.plan.toManys[index]
                let members = owner.members(at: index)
                var changed: Set<ManagedObjectID> = []
                for (id, number) in order.assign(to: members) {
                    changed.insert(id)
                    guard let member = registerFault(id) else { continue }
                    try setNumber(number, of: member, in: relationship, of: owner)
                }
                // A failed save may have assigned other numbers.
                for id in members where !changed.contains(id) {
                    guard let number = order.numbers[id], let member = registeredObject(for: id),
                        member.extra?.base != nil,
                        let reference = member.plan.reference(for: model[relationship.inverse])
                    else { continue }
                    member.setOrderNumber(number, of: reference)
                }
            }
        }
        tracker.endNumbering()
    }

    private func setNumber(
        _ number: Int64, of member: ManagedObject, in relationship: Relationship,
        of owner: ManagedObject
    ) throws {
        if let reference = member.plan.reference(for: model[relationship.inverse]) {
            if member.words == nil { try fulfill(member) }
            return member.setOrderNumber(number, of: reference)
        }
        let (key, isReversed) = edgeKey(relationship, from: owner, to: member)
        tracker.number(key) { numbers in
            if isReversed { numbers.inverse = number } else { numbers.own = number }
            // An owner that is its own only member is on both sides of the pair.
            if relationship.isSelfInverse, owner === member { numbers.inverse = number }
        }
    }
}
