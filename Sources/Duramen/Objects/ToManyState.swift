import DuramenModel

/// What is known of one to-many of one object: the stored members, if read, and the edits since.
final class ToManyState {
    /// The stored members, ascending; nil until they are asked for.
    var stored: [ManagedObjectID]?
    /// Stored members with all edits applied; nil when stale.
    @exclusivity(unchecked) private(set) var members: [ManagedObjectID]?
    /// The context's count of key changes that ``members`` is good for.
    var epoch = 0
    /// How many members were noted as likely to be read next.
    var expectedCount = 0
    /// Edits since the last save, in order.
    @exclusivity(unchecked) private(set) var edits: [(id: ManagedObjectID, isAdded: Bool)] = []

    func note(_ id: ManagedObjectID, isAdded: Bool) {
        edits.append((id, isAdded))
        members = nil
    }

    /// Applies the edits to the stored members. Temporary IDs give way to permanent ones.
    func resolve(in context: ManagedObjectContext) -> [ManagedObjectID] {
        let result = applyingEdits(to: stored ?? [], in: context)
        members = result
        return result
    }

    /// A list of members, ascending, with the edits applied.
    func applyingEdits(
        to stored: [ManagedObjectID], in context: ManagedObjectContext
    ) -> [ManagedObjectID] {
        if edits.isEmpty { return stored }
        var last: [ManagedObjectID: Bool] = [:]
        for edit in edits { last[context.currentID(of: edit.id)] = edit.isAdded }
        var result = stored.filter { last[$0] == nil }
        result += last.compactMap { $0.value ? $0.key : nil }
        result.sort()
        return result
    }

    /// Makes the edits part of what is stored, after a save.
    func commit(in context: ManagedObjectContext) {
        if stored != nil { stored = resolve(in: context) }
        edits = []
        members = stored
        epoch = context.keyEpoch
    }

    /// Drops what is stored, to be read anew. The edits stay.
    func forgetStored() {
        stored = nil
        members = nil
    }

    /// Drops the edits of one member.
    func dropEdits(of id: ManagedObjectID, in context: ManagedObjectContext) {
        edits.removeAll { context.currentID(of: $0.id) == id }
        members = nil
    }

    /// Drops the edits, and what they were based on.
    func forget() {
        stored = nil
        edits = []
        members = nil
    }

    /// Takes over a change that another context saved, if the members are known.
    func merge(_ id: ManagedObjectID, isAdded: Bool) {
        guard var known = stored else { return }
        let place = known.insertionPoint(of: id)
        let isThere = place < known.count && known[place] == id
        if isAdded, !isThere { known.insert(id, at: place) }
        if !isAdded, isThere { known.remove(at: place) }
        stored = known
        members = nil
    }
}
