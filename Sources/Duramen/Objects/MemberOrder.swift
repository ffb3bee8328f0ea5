import DuramenModel
import DuramenStore

/// The order of one ordered to-many: the stored order numbers, and the order set by the
/// application.
final class MemberOrder {
    /// The stored order numbers of members.
    private(set) var numbers: [ManagedObjectID: Int64] = [:]
    /// The members for editing by index; nil if they are not built.
    private var sequence: MemberSequence?
    /// The context's count of key changes for which ``sequence`` is valid.
    private var epoch = 0
    /// Edits that ``sequence`` does not contain yet.
    private var later: [(id: ManagedObjectID, isAdded: Bool)] = []
    /// The previous neighbours of members that later edits removed; nil for the first index.
    private var oldPositions: [ManagedObjectID: ManagedObjectID?] = [:]
    /// The members that later edits appended.
    private var newcomers: Set<ManagedObjectID> = []
    /// Whether a member was moved to an index.
    private(set) var isArranged = false
    /// The stored members that the moves are based on.
    private var base: [ManagedObjectID] = []
    /// Whether members that both sides moved get their stored positions at the next load.
    private var yieldsToStored = false
    /// The order numbers that the save in progress assigns.
    private var assigned: [ManagedObjectID: Int64]?

    func record(_ id: ManagedObjectID, isAdded: Bool) {
        if sequence != nil { later.append((id, isAdded)) }
    }

    /// Sets the members in their new order.
    func arrange(_ list: [ManagedObjectID], base: [ManagedObjectID], epoch: Int) {
        beginArranging(base: base)
        keep(list, epoch: epoch)
    }

    /// Prepares for moving members to indices.
    func beginArranging(base: [ManagedObjectID]) {
        if !isArranged { self.base = base }
        isArranged = true
        oldPositions = [:]
        newcomers = []
    }

    /// Builds the sequence of members, for editing by index.
    @discardableResult
    func keep(_ list: [ManagedObjectID], epoch: Int) -> MemberSequence {
        let made = MemberSequence(list)
        sequence = made
        self.epoch = epoch
        later = []
        return made
    }

    /// Returns the members with all edits; nil if the sequence is not built.
    ///
    /// - Parameters:
    ///   - part: The part of the owner.
    ///   - isMember: Whether an object is a member now; nil if its edits decide.
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
        // If the edit of an object was reverted or settled otherwise, its own reference decides.
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

    /// Returns the arranged members with all later edits; nil if no member was moved.
    func members(in part: ContextPart) -> [ManagedObjectID]? {
        isArranged ? sequence(in: part)?.ids : nil
    }

    /// Discards the sequence if no member was moved, because more than edits determines it.
    func forgetUnarranged() {
        if !isArranged { sequence = nil }
    }

    /// Loads the stored members, and applies the moves made here on top.
    ///
    /// - Parameters:
    ///   - list: The stored members.
    ///   - edited: By member whether the last edit here added or removed it. Other saves may have
    ///     done the same or the opposite meanwhile, so no list shows that.
    ///   - part: The part of the owner.
    func load(
        _ list: [OrderedDestination], edited: [ManagedObjectID: Bool], in part: ContextPart
    ) {
        numbers = [:]
        for member in list { numbers[member.id] = member.order }
        defer { yieldsToStored = false }
        guard let mine = members(in: part) else { return forgetUnarranged() }
        let theirs = list.map(\.id)
        // A member that is added here stays though others remove it, and counts as new then.
        let stored = Set(theirs)
        let base = base.filter { edited[$0] != true || stored.contains($0) }
        let merged =
            yieldsToStored
            ? OrderMerging.merge(base: base, mine: theirs, theirs: mine)
            : OrderMerging.merge(base: base, mine: mine, theirs: theirs)
        keep(merged.filter { edited[$0] != false }, epoch: part.identity.epoch)
        self.base = theirs
    }

    /// Assigns order numbers to the members, for a save.
    ///
    /// - Returns: The members whose numbers change.
    func assign(to members: [ManagedObjectID]) -> [(id: ManagedObjectID, number: Int64)] {
        let all = OrderNumbers.assign(members.map { numbers[$0] })
        assigned = Dictionary(uniqueKeysWithValues: zip(members, all))
        return zip(members, all).filter { numbers[$0] != $1 }.map { ($0, $1) }
    }

    /// Makes the numbers of a save of unknown outcome, which was committed, the stored ones and the
    /// base of moves.
    func settle() {
        guard let assigned else { return }
        numbers = assigned
        base = assigned.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Whether members have other indices than the stored ones.
    func isRearranged(in part: ContextPart) -> Bool {
        members(in: part).map { $0 != base } ?? false
    }

    /// Makes the numbers of the save the stored ones.
    func commit() {
        if let assigned { numbers = assigned }
        forgetArrangement()
    }

    /// Lets the stored positions win at the next load, for members that both sides moved.
    func yieldToStored() { yieldsToStored = true }

    /// Moves a member back after its former neighbour, if that still exists.
    func putBack(_ id: ManagedObjectID, in part: ContextPart) {
        guard isArranged, let sequence = sequence(in: part), sequence.contains(id) else {
            return
        }
        restore(id, in: sequence)
    }

    /// Moves a stored member after its former neighbour.
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

    /// Drops the edits of one member, which then is a member if it is stored. An index that it was
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
            // It was not a member when the others were moved.
            restore(id, in: sequence)
        }
    }

    /// Returns a list with the edits applied: members are removed, and others appended in order.
    static func applying(
        _ edits: [(id: ManagedObjectID, isAdded: Bool)], to stored: [ManagedObjectID],
        in part: ContextPart
    ) -> [ManagedObjectID] {
        if edits.isEmpty { return stored }
        var removed: Set<ManagedObjectID> = []
        // By member that exists after the edits: the index of the edit that added it.
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
