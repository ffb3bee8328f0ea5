import DuramenModel
import DuramenStore

/// The order of one ordered to-many: the stored numbers, and the list that the application arranged.
final class MemberOrder {
    /// The stored numbers of members.
    private(set) var numbers: [ManagedObjectID: Int64] = [:]
    /// The members as they were arranged by place; nil when none was given a place.
    private var arranged: [ManagedObjectID]?
    /// The stored members that ``arranged`` is based on.
    private var base: [ManagedObjectID] = []
    /// Edits since.
    private var later: [(id: ManagedObjectID, isAdded: Bool)] = []
    /// Whether members that both sides moved stand where the store has them, when it is read next.
    private var yieldsToStored = false
    /// The numbers that the save under way gives.
    private var assigned: [ManagedObjectID: Int64]?

    /// Whether a member was given a place.
    var isArranged: Bool { arranged != nil }

    func note(_ id: ManagedObjectID, isAdded: Bool) {
        if arranged != nil { later.append((id, isAdded)) }
    }

    func arrange(_ list: [ManagedObjectID], base: [ManagedObjectID]) {
        if arranged == nil { self.base = base }
        arranged = list
        later = []
    }

    /// The arranged members with all later edits; nil when none was given a place.
    func members(in context: ManagedObjectContext) -> [ManagedObjectID]? {
        arranged.map {
            Self.applying(later, to: $0.map(context.currentID), in: context)
        }
    }

    /// Takes over what the store has, and puts what was arranged here on top of it.
    func load(_ list: [OrderedDestination], in context: ManagedObjectContext) {
        numbers = [:]
        for member in list { numbers[member.id] = member.order }
        defer { yieldsToStored = false }
        guard let mine = members(in: context) else { return }
        let theirs = list.map(\.id)
        arranged =
            yieldsToStored
            ? OrderMerging.merge(base: base, mine: theirs, theirs: mine)
            : OrderMerging.merge(base: base, mine: mine, theirs: theirs)
        later = []
        base = theirs
    }

    /// Numbers for the members as they are, to be saved.
    ///
    /// - Returns: The members whose numbers change.
    func assign(to members: [ManagedObjectID]) -> [(id: ManagedObjectID, number: Int64)] {
        let all = OrderNumbers.assign(members.map { numbers[$0] })
        assigned = Dictionary(uniqueKeysWithValues: zip(members, all))
        return zip(members, all).filter { numbers[$0] != $1 }.map { ($0, $1) }
    }

    /// Makes the numbers of a save, which was written after all, the stored ones, and bases on them what was
    /// arranged.
    func settle() {
        guard let assigned else { return }
        numbers = assigned
        base = assigned.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Whether members were given other places than the stored ones.
    func isRearranged(in context: ManagedObjectContext) -> Bool {
        members(in: context).map { $0 != base } ?? false
    }

    /// Makes the numbers of the save the stored ones.
    func commit() {
        if let assigned { numbers = assigned }
        forgetArrangement()
    }

    /// Has the store decide, when it is read next, where members stand that both sides moved.
    func yieldToStored() { yieldsToStored = true }

    /// Puts a member back behind the one that it stood behind before, if it is still there.
    func putBack(_ id: ManagedObjectID, in context: ManagedObjectContext) {
        if members(in: context)?.contains(id) == true { restore(id, in: context) }
    }

    /// Has a stored member stand behind the one that it stood behind before.
    private func restore(_ id: ManagedObjectID, in context: ManagedObjectContext) {
        guard var list = members(in: context), let place = base.firstIndex(of: id) else { return }
        list.removeAll { $0 == id }
        let previous = base[..<place].last { list.contains($0) }
        let new = previous.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        list.insert(id, at: new)
        arranged = list
        later = []
    }

    func forgetArrangement() {
        arranged = nil
        yieldsToStored = false
        assigned = nil
        later = []
        base = []
    }

    func replaceTemporaryIDs(in context: ManagedObjectContext) {
        base = base.map(context.currentID)
    }

    /// Drops the edits of one member, which is there then if it is stored. A place that it was given stays.
    func dropEdits(of id: ManagedObjectID, in context: ManagedObjectContext) {
        later.removeAll { context.currentID(of: $0.id) == id }
        if !base.contains(id) {
            arranged?.removeAll { context.currentID(of: $0) == id }
        } else if members(in: context)?.contains(id) == false {
            // It was gone when the others were given their places.
            restore(id, in: context)
        }
    }

    /// A list with members taken out, and others put behind it, in the order of the edits.
    static func applying(
        _ edits: [(id: ManagedObjectID, isAdded: Bool)], to stored: [ManagedObjectID],
        in context: ManagedObjectContext
    ) -> [ManagedObjectID] {
        if edits.isEmpty { return stored }
        var removed: Set<ManagedObjectID> = []
        // By member that is there after the edits: the place of the edit that added it.
        var added: [ManagedObjectID: Int] = [:]
        for (place, edit) in edits.enumerated() {
            let id = context.currentID(of: edit.id)
            if !edit.isAdded {
                removed.insert(id)
                added[id] = nil
            } else if added[id] == nil {
                added[id] = place
            }
        }
        let kept = stored.filter { !removed.contains($0) }
        let known = Set(kept)
        let newcomers = added.filter { !known.contains($0.key) }.sorted { $0.value < $1.value }
        return kept + newcomers.map(\.key)
    }
}
