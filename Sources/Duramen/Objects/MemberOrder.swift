import DuramenModel
import DuramenStore

/// The order of one ordered to-many: the stored numbers, and the list that the application
/// arranged.
final class MemberOrder {
    /// The stored numbers of members.
    private(set) var numbers: [ManagedObjectID: Int64] = [:]
    /// The members, while they are edited by index; nil when they are not known so.
    private var sequence: MemberSequence?
    /// The context's count of key changes that ``sequence`` is good for.
    private var epoch = 0
    /// Edits that ``sequence`` lacks.
    private var later: [(id: ManagedObjectID, isAdded: Bool)] = []
    /// Behind which other one each of the members stood that later edits took out; nil for the
    /// first index.
    private var oldPositions: [ManagedObjectID: ManagedObjectID?] = [:]
    /// The members that later edits put at the end.
    private var newcomers: Set<ManagedObjectID> = []
    /// Whether a member was given an index.
    private(set) var isArranged = false
    /// The stored members that the indexes are based on.
    private var base: [ManagedObjectID] = []
    /// Whether members that both sides moved stand where the store has them, when it is read next.
    private var yieldsToStored = false
    /// The numbers that the save under way gives.
    private var assigned: [ManagedObjectID: Int64]?

    func record(_ id: ManagedObjectID, isAdded: Bool) {
        if sequence != nil { later.append((id, isAdded)) }
    }

    /// Sets the members in the order that they were given.
    func arrange(_ list: [ManagedObjectID], base: [ManagedObjectID], epoch: Int) {
        beginArranging(base: base)
        keep(list, epoch: epoch)
    }

    /// Notes that members are about to be given indexes.
    func beginArranging(base: [ManagedObjectID]) {
        if !isArranged { self.base = base }
        isArranged = true
        oldPositions = [:]
        newcomers = []
    }

    /// Keeps the members, to be edited by index.
    @discardableResult
    func keep(_ list: [ManagedObjectID], epoch: Int) -> MemberSequence {
        let made = MemberSequence(list)
        sequence = made
        self.epoch = epoch
        later = []
        return made
    }

    /// The members with all edits; nil when they are not kept.
    ///
    /// - Parameter isMember: Says whether one is a member now; nil when its edits say so.
    func sequence(
        in part: ContextPart, isMember: (ManagedObjectID) -> Bool? = { _ in nil }
    ) -> MemberSequence? {
        guard let sequence else { return nil }
        if epoch != part.identity.epoch {
            sequence.replaceIDs(part.currentID)
            epoch = part.identity.epoch
        }
        if later.isEmpty { return sequence }
        let edits = later.map { (id: part.currentID(of: $0.id), isAdded: $0.isAdded) }
        later = []
        for edit in edits { apply(edit.id, isAdded: edit.isAdded, to: sequence) }
        // Whose way was taken back, or settled otherwise, is where it leads.
        for id in isArranged ? [] : Set(edits.map(\.id)) {
            if let isMember = isMember(id) { apply(id, isAdded: isMember, to: sequence) }
        }
        return sequence
    }

    private func apply(_ id: ManagedObjectID, isAdded: Bool, to sequence: MemberSequence) {
        if isAdded {
            if isArranged, !sequence.contains(id) { newcomers.insert(id) }
            sequence.append(id)
        } else if let index = sequence.position(of: id) {
            if isArranged, newcomers.remove(id) == nil {
                oldPositions[id] = .some(index > 0 ? sequence[index - 1] : nil)
            }
            sequence.remove(id)
        }
    }

    /// The arranged members with all later edits; nil when none was given an index.
    func members(in part: ContextPart) -> [ManagedObjectID]? {
        isArranged ? sequence(in: part)?.ids : nil
    }

    /// Lets go of members that were not given indexes, since others than their edits decide about
    /// them.
    func forgetUnarranged() {
        if !isArranged { sequence = nil }
    }

    /// Takes over what the store has, and puts what was arranged here on top of it.
    ///
    /// - Parameter removed: Members that edits took out. Others may have put them in meanwhile, so
    ///   that neither list says that they are out.
    func load(
        _ list: [OrderedDestination], without removed: Set<ManagedObjectID>,
        in part: ContextPart
    ) {
        numbers = [:]
        for member in list { numbers[member.id] = member.order }
        defer { yieldsToStored = false }
        guard let mine = members(in: part) else { return forgetUnarranged() }
        let theirs = list.map(\.id)
        let merged =
            yieldsToStored
            ? OrderMerging.merge(base: base, mine: theirs, theirs: mine)
            : OrderMerging.merge(base: base, mine: mine, theirs: theirs)
        keep(merged.filter { !removed.contains($0) }, epoch: part.identity.epoch)
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

    /// Makes the numbers of a save, which was written after all, the stored ones, and bases on them
    /// what was arranged.
    func settle() {
        guard let assigned else { return }
        numbers = assigned
        base = assigned.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Whether members were given other indexes than the stored ones.
    func isRearranged(in part: ContextPart) -> Bool {
        members(in: part).map { $0 != base } ?? false
    }

    /// Makes the numbers of the save the stored ones.
    func commit() {
        if let assigned { numbers = assigned }
        forgetArrangement()
    }

    /// Has the store decide, when it is read next, where members stand that both sides moved.
    func yieldToStored() { yieldsToStored = true }

    /// Puts a member back behind the one that it stood behind before, if it is still there.
    func putBack(_ id: ManagedObjectID, in part: ContextPart) {
        guard isArranged, let sequence = sequence(in: part), sequence.contains(id) else {
            return
        }
        restore(id, in: sequence)
    }

    /// Has a stored member stand behind the one that it stood behind before.
    private func restore(_ id: ManagedObjectID, in sequence: MemberSequence) {
        guard let old = base.firstIndex(of: id) else { return }
        sequence.remove(id)
        place(id, behind: base[..<old].last { sequence.contains($0) }, in: sequence)
    }

    private func place(
        _ id: ManagedObjectID, behind previous: ManagedObjectID?, in sequence: MemberSequence
    ) {
        let position = previous.flatMap(sequence.position).map { $0 + 1 } ?? 0
        sequence.insert(id, at: position)
    }

    func forgetArrangement() {
        sequence = nil
        later = []
        oldPositions = [:]
        newcomers = []
        isArranged = false
        yieldsToStored = false
        assigned = nil
        base = []
    }

    func replaceTemporaryIDs(in part: ContextPart) {
        base = base.map(part.currentID)
    }

    /// Drops the edits of one member, which is there then if it is stored. An index that it was
    /// given stays.
    func dropEdits(of id: ManagedObjectID, in part: ContextPart) {
        guard isArranged, let sequence = sequence(in: part) else { return forgetUnarranged() }
        let isNewcomer = newcomers.remove(id) != nil
        let previous = oldPositions.removeValue(forKey: id)
        if !base.contains(id) { return sequence.remove(id) }
        if let previous, previous.map(sequence.contains) != false {
            sequence.remove(id)
            self.place(id, behind: previous, in: sequence)
        } else if isNewcomer || !sequence.contains(id) {
            // It was gone when the others were given their positions.
            restore(id, in: sequence)
        }
    }

    /// A list with members taken out, and others put behind it, in the order of the edits.
    static func applying(
        _ edits: [(id: ManagedObjectID, isAdded: Bool)], to stored: [ManagedObjectID],
        in part: ContextPart
    ) -> [ManagedObjectID] {
        if edits.isEmpty { return stored }
        var removed: Set<ManagedObjectID> = []
        // By member that is there after the edits: the index of the edit that added it.
        var added: [ManagedObjectID: Int] = [:]
        for (index, edit) in edits.enumerated() {
            let id = part.currentID(of: edit.id)
            if !edit.isAdded {
                removed.insert(id)
                added[id] = nil
            } else if added[id] == nil {
                added[id] = index
            }
        }
        let kept = stored.filter { !removed.contains($0) }
        let known = Set(kept)
        let newcomers = added.filter { !known.contains($0.key) }.sorted { $0.value < $1.value }
        return kept + newcomers.map(\.key)
    }
}
