import DuramenModel
import DuramenStore

/// What is known of one to-many of one object: the stored members, if read, and the edits since.
final class ToManyState {
    /// The stored members, ascending or in the order that the store keeps; nil until they are asked for.
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
    /// edited by place.
    private(set) var editsByPlace = false
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

    func note(_ id: ManagedObjectID, isAdded: Bool) {
        edits.append(id, isAdded: isAdded)
        if let order {
            current = nil
            order.note(id, isAdded: isAdded)
        }
    }

    /// Sets the order of the members, which are those that ``resolve(of:at:in:)`` gave.
    func arrange(_ list: [ManagedObjectID], in context: ManagedObjectContext) {
        order?.arrange(list, base: stored ?? [], epoch: context.identity.epoch)
        keep(MemberSet(list), in: context)
    }

    /// The members of an ordered to-many as they are, to be looked up and edited by place.
    func sequence(
        of owner: ManagedObject, at index: Int, in context: ManagedObjectContext
    ) -> MemberSequence {
        let known = order?.sequence(in: context) { id in
            owner.isDestination(of: id, at: index, in: context)
        }
        if let known { return known }
        let list = resolve(of: owner, at: index, in: context)
        return order?.keep(list, epoch: context.identity.epoch) ?? MemberSequence(list)
    }

    /// Whether members are known without the stored ones.
    func isKnown(in context: ManagedObjectContext) -> Bool {
        current != nil && epoch == context.identity.epoch
    }

    /// The members of an ordered to-many as far as they are known without work; nil after an edit.
    func known(in context: ManagedObjectContext) -> [ManagedObjectID]? {
        isKnown(in: context) ? current?.ids : nil
    }

    /// Gives a member of an ordered to-many another place.
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
    func load(_ list: [OrderedDestination], in context: ManagedObjectContext) {
        order?.load(list, without: removed(in: context), in: context)
        load(list.map(\.id))
    }

    /// The members that the edits took out in the end.
    private func removed(in context: ManagedObjectContext) -> Set<ManagedObjectID> {
        guard order?.isArranged == true else { return [] }
        return Set(Self.noted(edits, in: context).filter { !$0.value }.keys)
    }

    /// By member, whether the last edit of it added it.
    private static func noted(
        _ edits: some Sequence<MemberEdits.Element>, in context: ManagedObjectContext
    ) -> [ManagedObjectID: Bool] {
        var noted: [ManagedObjectID: Bool] = [:]
        for edit in edits { noted[context.currentID(of: edit.id)] = edit.isAdded }
        return noted
    }

    /// The members, ascending or in their order. Temporary IDs give way to permanent ones.
    func resolve(
        of owner: ManagedObject, at index: Int, in context: ManagedObjectContext
    ) -> [ManagedObjectID] {
        settle(owner, at: index, in: context)
        if current?.isList == false, edits.isEmpty, let list = stored {
            // One list for both.
            current = MemberSet(list)
        }
        return current?.ids ?? []
    }

    /// How many members there are.
    func count(of owner: ManagedObject, at index: Int, in context: ManagedObjectContext) -> Int {
        settle(owner, at: index, in: context)
        return current?.count ?? 0
    }

    /// Whether an object is among the members of an unordered to-many.
    func contains(
        _ id: ManagedObjectID, of owner: ManagedObject, at index: Int,
        in context: ManagedObjectContext
    ) -> Bool {
        settle(owner, at: index, in: context)
        return current?.contains(id) ?? false
    }

    /// Applies the edits that were made since the last time to the members.
    private func settle(
        _ owner: ManagedObject, at index: Int, in context: ManagedObjectContext
    ) {
        if order != nil {
            if isKnown(in: context) { return }
            let list = applyingEdits(to: stored ?? [], of: owner, at: index, in: context)
            order?.forgetUnarranged()
            editsByPlace = hasEdits
            return keep(MemberSet(list), in: context)
        }
        if !isKnown(in: context) { keep(storedSet ?? MemberSet([]), in: context, appliedCount: 0) }
        if appliedCount == edits.count { return }
        let later = Self.lastEdits(
            edits.dropFirst(appliedCount), of: owner, at: index, in: context)
        for (id, isMember) in later { current?.set(id, isMember: isMember) }
        appliedCount = edits.count
    }

    private func keep(
        _ members: MemberSet, in context: ManagedObjectContext, appliedCount: Int? = nil
    ) {
        current = members
        epoch = context.identity.epoch
        self.appliedCount = appliedCount ?? edits.count
    }

    /// A list of members, ascending or in their order, with the edits applied.
    func applyingEdits(
        to stored: [ManagedObjectID], of owner: ManagedObject, at index: Int,
        in context: ManagedObjectContext
    ) -> [ManagedObjectID] {
        if let order {
            return order.members(in: context)
                ?? MemberOrder.applying(
                    settledEdits(of: owner, at: index, in: context), to: stored, in: context)
        }
        if edits.isEmpty { return stored }
        var members = MemberSet(stored)
        for (id, isMember) in self.edits(of: owner, at: index, in: context) {
            members.set(id, isMember: isMember)
        }
        return members.ids
    }

    /// By member, whether the edits add it or remove it in the end.
    ///
    /// An object on its way from one owner to another was here in between. If its way is taken back, or settled
    /// otherwise, it alone knows where it leads.
    func edits(
        of owner: ManagedObject, at index: Int, in context: ManagedObjectContext
    ) -> [ManagedObjectID: Bool] {
        Self.lastEdits(edits, of: owner, at: index, in: context)
    }

    private static func lastEdits(
        _ edits: some Sequence<MemberEdits.Element>, of owner: ManagedObject, at index: Int,
        in context: ManagedObjectContext
    ) -> [ManagedObjectID: Bool] {
        var last = noted(edits, in: context)
        for id in last.keys {
            if let isMember = owner.isDestination(of: id, at: index, in: context) {
                last[id] = isMember
            }
        }
        return last
    }

    /// The edits in their order, ending as ``edits(of:at:in:)`` says.
    private func settledEdits(
        of owner: ManagedObject, at index: Int, in context: ManagedObjectContext
    ) -> [(id: ManagedObjectID, isAdded: Bool)] {
        if edits.isEmpty { return [] }
        let noted = Self.noted(edits, in: context)
        let contradicting = edits(of: owner, at: index, in: context)
            .filter { noted[$0.key] != $0.value }
            .sorted { $0.key < $1.key }
        return edits + contradicting.map { (id: $0.key, isAdded: $0.value) }
    }

    /// Makes the edits part of what is stored, after a save.
    func commit(of owner: ManagedObject, at index: Int, in context: ManagedObjectContext) {
        if isLoaded {
            settle(owner, at: index, in: context)
            storedSet = current
        }
        order?.commit()
        editsByPlace = false
        edits = MemberEdits()
        if let storedSet { keep(storedSet, in: context) } else { current = nil }
    }

    /// Makes the edits part of what is stored, but for those of some members.
    func commit(
        of owner: ManagedObject, at index: Int, in context: ManagedObjectContext,
        keeping isKept: (ManagedObjectID) -> Bool
    ) {
        let kept = edits.filter { isKept(context.currentID(of: $0.id)) }
        commit(of: owner, at: index, in: context)
        if kept.isEmpty { return }
        forgetStored()
        edits = MemberEdits(kept)
    }

    /// Replaces temporary IDs in what was read from a parent.
    func replaceTemporaryIDs(in context: ManagedObjectContext) {
        current = nil
        order?.forgetUnarranged()
        order?.replaceTemporaryIDs(in: context)
        guard stored?.contains(where: \.isTemporaryID) == true else { return }
        stored = stored?.map(context.currentID)
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
    func forgetEmptyEdits(of owner: ManagedObject, at index: Int, in context: ManagedObjectContext)
    {
        guard hasEdits, let stored,
            applyingEdits(to: stored, of: owner, at: index, in: context) == stored
        else { return }
        edits = MemberEdits()
        order?.forgetArrangement()
        current = nil
    }

    /// Drops the edits of one member.
    func dropEdits(of id: ManagedObjectID, in context: ManagedObjectContext) {
        edits.removeAll { context.currentID(of: $0.id) == id }
        order?.dropEdits(of: id, in: context)
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
        // Only the store knows the place.
        if order != nil { return forgetStored() }
        storedSet?.set(id, isMember: isAdded)
        current = nil
    }
}
