import DuramenModel
import DuramenStore

/// What is known of one to-many of one object: the stored members, if read, and the edits since.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
final class ToManyState {
    /// The stored members, ascending or in the order that the store keeps; nil until they are asked
    /// for.
    @exclusivity(unchecked) private var storedSet: MemberSet?
    /// Stored members with the first ``appliedCount`` edits applied; nil when stale.
    @exclusivity(unchecked) private var current: MemberSet?
    /// The context's count of key changes that ``current`` is good for.
    private var epoch = 0
    /// Edits since the last save, in order.
    @exclusivity(unchecked) private(set) var edits = MemberEdits()
    /// How many of the edits ``current`` has.
    @exclusivity(unchecked) private var appliedCount = 0
    /// Whether members were resolved with edits once, so that the next time they had better be
    /// edited by position.
    private(set) var editsByPosition = false
    /// For an ordered to-many, its order; nil for others.
    let order: MemberOrder?

    init(isOrdered: Bool) { order = isOrdered ? MemberOrder() : nil }

    /// The stored members as a list; nil until they are asked for.
    private(set) var stored: [ManagedObjectID]? {
        get { storedSet?.ids }
        set { storedSet = newValue.map { MemberSet($0) } }
    }

    /// Whether the stored members are known.
    var isLoaded: Bool { storedSet != nil }

    /// Whether there is something to save.
    var hasEdits: Bool { !edits.isEmpty || order?.isArranged == true }

    func record(_ id: ManagedObjectID, isAdded: Bool) {
        edits.append(id, isAdded: isAdded)
        if let order {
            current = nil
            order.record(id, isAdded: isAdded)
        }
    }

    /// Sets the order of the members, which are those that ``resolve(of:at:in:)`` gave.
    func arrange(_ list: [ManagedObjectID], in part: ContextPart) {
        order?.arrange(list, base: stored ?? [], epoch: part.identity.epoch)
        keep(MemberSet(list), in: part)
    }

    /// The members of an ordered to-many as they are, to be looked up and edited by position.
    func sequence(
        of owner: ManagedObject, at index: Int, in part: ContextPart
    ) -> MemberSequence {
        let known = order?.sequence(in: part) { id in
            owner.isDestination(of: id, at: index, in: part)
        }
        if let known { return known }
        let list = resolve(of: owner, at: index, in: part)
        return order?.keep(list, epoch: part.identity.epoch) ?? MemberSequence(list)
    }

    /// Whether members are known without the stored ones.
    func isKnown(in part: ContextPart) -> Bool {
        current != nil && epoch == part.identity.epoch
    }

    /// The members of an ordered to-many as far as they are known without work; nil after an edit.
    func known(in part: ContextPart) -> [ManagedObjectID]? {
        isKnown(in: part) ? current?.ids : nil
    }

    /// Gives a member of an ordered to-many another position.
    func place(_ id: ManagedObjectID, at position: Int, in sequence: MemberSequence) {
        order?.beginArranging(base: stored ?? [])
        sequence.remove(id)
        sequence.insert(id, at: position)
        current = nil
    }

    /// Takes over what the store has.
    func load(_ list: [ManagedObjectID]) {
        stored = list
        current = nil
        order?.forgetUnarranged()
    }

    /// Takes over what the store has of an ordered to-many.
    func load(_ list: [OrderedDestination], in part: ContextPart) {
        order?.load(list, without: removed(in: part), in: part)
        load(list.map(\.id))
    }

    /// The members that the edits took out in the end.
    private func removed(in part: ContextPart) -> Set<ManagedObjectID> {
        guard order?.isArranged == true else { return [] }
        return Set(Self.noted(edits, in: part).filter { !$0.value }.keys)
    }

    /// By member, whether the last edit of it added it.
    private static func noted(
        _ edits: some Sequence<MemberEdits.Element>, in part: ContextPart
    ) -> [ManagedObjectID: Bool] {
        var noted: [ManagedObjectID: Bool] = [:]
        for edit in edits { noted[part.currentID(of: edit.id)] = edit.isAdded }
        return noted
    }

    /// The members, ascending or in their order. Temporary IDs give way to permanent ones.
    func resolve(
        of owner: ManagedObject, at index: Int, in part: ContextPart
    ) -> [ManagedObjectID] {
        settle(owner, at: index, in: part)
        if current?.isList == false, edits.isEmpty, let list = stored {
            // One list for both.
            current = MemberSet(list)
        }
        return current?.ids ?? []
    }

    /// How many members there are.
    func count(of owner: ManagedObject, at index: Int, in part: ContextPart) -> Int {
        settle(owner, at: index, in: part)
        return current?.count ?? 0
    }

    /// Whether an object is among the members of an unordered to-many.
    func contains(
        _ id: ManagedObjectID, of owner: ManagedObject, at index: Int,
        in part: ContextPart
    ) -> Bool {
        settle(owner, at: index, in: part)
        return current?.contains(id) ?? false
    }

    /// Applies the edits that were made since the last time to the members.
    private func settle(
        _ owner: ManagedObject, at index: Int, in part: ContextPart
    ) {
        if order != nil {
            if isKnown(in: part) { return }
            let list = applyingEdits(to: stored ?? [], of: owner, at: index, in: part)
            order?.forgetUnarranged()
            editsByPosition = hasEdits
            return keep(MemberSet(list), in: part)
        }
        if !isKnown(in: part) { keep(storedSet ?? MemberSet([]), in: part, appliedCount: 0) }
        if appliedCount == edits.count { return }
        let later = Self.lastEdits(
            edits.dropFirst(appliedCount), of: owner, at: index, in: part)
        for (id, isMember) in later { current?.set(id, isMember: isMember) }
        appliedCount = edits.count
    }

    private func keep(
        _ members: MemberSet, in part: ContextPart, appliedCount: Int? = nil
    ) {
        current = members
        epoch = part.identity.epoch
        self.appliedCount = appliedCount ?? edits.count
    }

    /// A list of members, ascending or in their order, with the edits applied.
    func applyingEdits(
        to stored: [ManagedObjectID], of owner: ManagedObject, at index: Int,
        in part: ContextPart
    ) -> [ManagedObjectID] {
        if let order {
            return order.members(in: part)
                ?? MemberOrder.applying(
                    settledEdits(of: owner, at: index, in: part), to: stored, in: part)
        }
        if edits.isEmpty { return stored }
        var members = MemberSet(stored)
        for (id, isMember) in self.edits(of: owner, at: index, in: part) {
            members.set(id, isMember: isMember)
        }
        return members.ids
    }

    /// By member, whether the edits add it or remove it in the end.
    ///
    /// An object on its way from one owner to another was here in between. If its way is taken
    /// back, or settled otherwise, it alone knows where it leads.
    func edits(
        of owner: ManagedObject, at index: Int, in part: ContextPart
    ) -> [ManagedObjectID: Bool] {
        Self.lastEdits(edits, of: owner, at: index, in: part)
    }

    private static func lastEdits(
        _ edits: some Sequence<MemberEdits.Element>, of owner: ManagedObject, at index: Int,
        in part: ContextPart
    ) -> [ManagedObjectID: Bool] {
        var last = noted(edits, in: part)
        for id in last.keys {
            if let isMember = owner.isDestination(of: id, at: index, in: part) {
                last[id] = isMember
            }
        }
        return last
    }

    /// The edits in their order, ending as ``edits(of:at:in:)`` says.
    private func settledEdits(
        of owner: ManagedObject, at index: Int, in part: ContextPart
    ) -> [(id: ManagedObjectID, isAdded: Bool)] {
        if edits.isEmpty { return [] }
        let noted = Self.noted(edits, in: part)
        let contradicting = edits(of: owner, at: index, in: part)
            .filter { noted[$0.key] != $0.value }
            .sorted { $0.key < $1.key }
        return edits + contradicting.map { (id: $0.key, isAdded: $0.value) }
    }

    /// Makes the edits part of what is stored, after a save.
    func commit(of owner: ManagedObject, at index: Int, in part: ContextPart) {
        if isLoaded {
            settle(owner, at: index, in: part)
            storedSet = current
        }
        order?.commit()
        editsByPosition = false
        edits = MemberEdits()
        if let storedSet { keep(storedSet, in: part) } else { current = nil }
    }

    /// Makes the edits part of what is stored, but for those of some members.
    func commit(
        of owner: ManagedObject, at index: Int, in part: ContextPart,
        keeping isKept: (ManagedObjectID) -> Bool
    ) {
        let kept = edits.filter { isKept(part.currentID(of: $0.id)) }
        commit(of: owner, at: index, in: part)
        if kept.isEmpty { return }
        forgetStored()
        edits = MemberEdits(kept)
    }

    /// Replaces temporary IDs in what was read from a parent.
    func replaceTemporaryIDs(in part: ContextPart) {
        current = nil
        order?.forgetUnarranged()
        order?.replaceTemporaryIDs(in: part)
        guard stored?.contains(where: \.isTemporaryID) == true else { return }
        stored = stored?.map(part.currentID)
        if order == nil { stored?.sort() }
    }

    /// Drops what is stored, to be read anew. The edits stay.
    func forgetStored() {
        storedSet = nil
        current = nil
        order?.forgetUnarranged()
    }

    /// Drops the order that the members were given; their edits stay.
    func forgetArrangement() {
        order?.forgetArrangement()
        current = nil
    }

    /// Drops edits that leave the members as they are stored.
    func forgetEmptyEdits(of owner: ManagedObject, at index: Int, in part: ContextPart) {
        guard hasEdits, let stored,
            applyingEdits(to: stored, of: owner, at: index, in: part) == stored
        else { return }
        edits = MemberEdits()
        order?.forgetArrangement()
        current = nil
    }

    /// Drops the edits of one member.
    func dropEdits(of id: ManagedObjectID, in part: ContextPart) {
        edits.removeAll { part.currentID(of: $0.id) == id }
        order?.dropEdits(of: id, in: part)
        current = nil
    }

    /// Drops the edits, and what they were based on.
    func forget() {
        storedSet = nil
        edits = MemberEdits()
        current = nil
        order?.forgetArrangement()
    }

    /// Takes over a change that another context saved, if the members are known.
    func merge(_ id: ManagedObjectID, isAdded: Bool) {
        // Only the store knows the position.
        if order != nil { return forgetStored() }
        storedSet?.set(id, isMember: isAdded)
        current = nil
    }
}
