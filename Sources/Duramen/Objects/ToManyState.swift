import DuramenModel
import DuramenStore

/// The state of one to-many of one object: the stored members, if loaded, and the edits since.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
final class ToManyState {
    /// The stored members, ascending or in the stored order; nil until they are loaded.
    @exclusivity(unchecked) private var storedSet: MemberSet?
    /// The stored members with the first ``appliedCount`` edits applied; nil if outdated.
    @exclusivity(unchecked) private var current: MemberSet?
    /// The context's count of key changes for which ``current`` is valid.
    private var epoch = 0
    /// The edits since the last save, in order.
    @exclusivity(unchecked) private(set) var edits = MemberEdits()
    /// The number of edits that ``current`` contains.
    @exclusivity(unchecked) private var appliedCount = 0
    /// Whether members were resolved with edits once, so that they should be edited by position
    /// next time.
    private(set) var editsByPosition = false
    /// The order of an ordered to-many; nil for others.
    let order: MemberOrder?

    init(isOrdered: Bool) { order = isOrdered ? MemberOrder() : nil }

    /// The stored members as a list; nil until they are loaded.
    private(set) var stored: [ManagedObjectID]? {
        get { storedSet?.ids }
        set { storedSet = newValue.map { MemberSet($0) } }
    }

    /// Whether the stored members are loaded.
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

    /// Sets the order of the members, which are those that ``resolve(of:at:in:)`` returned.
    func arrange(_ list: [ManagedObjectID], in part: ContextPart) {
        order?.arrange(list, base: stored ?? [], epoch: part.identity.epoch)
        keep(MemberSet(list), in: part)
    }

    /// Returns the members of an ordered to-many, for look-ups and edits by position.
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

    /// Whether the present members are known without loading.
    func isKnown(in part: ContextPart) -> Bool {
        current != nil && epoch == part.identity.epoch
    }

    /// Returns the members of an ordered to-many if they are known without work; nil after an edit.
    func known(in part: ContextPart) -> [ManagedObjectID]? {
        isKnown(in: part) ? current?.ids : nil
    }

    /// Moves a member of an ordered to-many to another position.
    func place(_ id: ManagedObjectID, at position: Int, in sequence: MemberSequence) {
        order?.beginArranging(base: stored ?? [])
        sequence.remove(id)
        sequence.insert(id, at: position)
        current = nil
    }

    /// Loads the stored members.
    func load(_ list: [ManagedObjectID]) {
        stored = list
        current = nil
        order?.forgetUnarranged()
    }

    /// Loads the stored members of an ordered to-many.
    func load(_ list: [OrderedDestination], in part: ContextPart) {
        let edited = order?.isArranged == true ? Self.noted(edits, in: part) : [:]
        order?.load(list, edited: edited, in: part)
        load(list.map(\.id))
    }

    /// Returns by member whether its last edit added it.
    private static func noted(
        _ edits: some Sequence<MemberEdits.Element>, in part: ContextPart
    ) -> [ManagedObjectID: Bool] {
        var noted: [ManagedObjectID: Bool] = [:]
        for edit in edits { noted[part.currentID(of: edit.id)] = edit.isAdded }
        return noted
    }

    /// Returns the members, ascending or in their order. Temporary IDs are replaced by permanent
    /// ones.
    func resolve(
        of owner: ManagedObject, at index: Int, in part: ContextPart
    ) -> [ManagedObjectID] {
        settle(owner, at: index, in: part)
        if current?.isList == false, edits.isEmpty, let list = stored {
            // Both share one list.
            current = MemberSet(list)
        }
        return current?.ids ?? []
    }

    /// Returns the number of members.
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

    /// Applies the edits since the last time to the members.
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

    /// Returns a list of members, ascending or in their order, with the edits applied.
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

    /// Returns by member whether the edits add or remove it in the end.
    ///
    /// An object that was moved from one owner to another may have been a member in between. If its
    /// move is reverted or settled otherwise, only the object's own reference is right.
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

    /// Returns the edits in order, with the results of ``edits(of:at:in:)`` at the end.
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

    /// Makes the edits part of the stored state, after a save.
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

    /// Makes the edits part of the stored state, except edits of some members.
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

    /// Replaces temporary IDs in members that were loaded from a parent.
    func replaceTemporaryIDs(in part: ContextPart) {
        current = nil
        order?.forgetUnarranged()
        order?.replaceTemporaryIDs(in: part)
        guard stored?.contains(where: \.isTemporaryID) == true else { return }
        stored = stored?.map(part.currentID)
        if order == nil { stored?.sort() }
    }

    /// Invalidates the stored members. The edits stay.
    func forgetStored() {
        storedSet = nil
        current = nil
        order?.forgetUnarranged()
    }

    /// Discards the order set here; other edits stay.
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

    /// Discards the edits and the stored members.
    func forget() {
        storedSet = nil
        edits = MemberEdits()
        current = nil
        order?.forgetArrangement()
    }

    /// Merges a change of another save, if the members are loaded.
    func merge(_ id: ManagedObjectID, isAdded: Bool) {
        // Only the store knows the position.
        if order != nil { return forgetStored() }
        storedSet?.set(id, isMember: isAdded)
        current = nil
    }
}
