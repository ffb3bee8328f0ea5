/// Deletions by delete rules after others saved new members of an object that is deleted here.
///
/// No event of the application caused them. So they are not steps of their own, and are undone with
/// the step of the owner.
struct LateDeletions {
    /// The object that the application deleted, by object whose rules belong to it: the object
    /// itself, and the objects that its rules deleted later.
    private var roots: [ManagedObject: ManagedObject] = [:]
    /// By root, the objects that its rules deleted later, each with its state before its own rules.
    private var deletions: [ManagedObject: [UndoStep.Deletion]] = [:]
    /// The objects in `deletions`.
    private var noted: Set<ManagedObject> = []
    /// The relationships of roots when their rules were last applied.
    private var newest: [ManagedObject: UndoStep.Deletion] = [:]
    /// The root of the rules that are being applied.
    private var root: ManagedObject?

    /// Whether present deletions are late ones.
    var isNoting: Bool { root != nil }

    /// Records an object whose rules will be applied again.
    mutating func recordOwner(_ object: ManagedObject) {
        if roots[object] == nil { roots[object] = object }
    }

    mutating func beginRules(of object: ManagedObject) {
        if !roots.isEmpty { root = roots[object] }
    }

    mutating func endRules() { root = nil }

    /// Records that the rules delete an object, whose own rules are next.
    mutating func recordDeletion(of object: ManagedObject) { roots[object] = root }

    /// Records an object's relationships before its rules, which may be applied more than once.
    mutating func record(_ deletion: UndoStep.Deletion) {
        guard let root else { return }
        if root === deletion.object { return newest[root] = deletion }
        if noted.insert(deletion.object).inserted { deletions[root, default: []].append(deletion) }
    }

    /// Removes the record of a deletion that is being undone. Adds members that others assigned to
    /// the object meanwhile and that a rule does not change.
    mutating func complete(_ deletion: UndoStep.Deletion) -> UndoStep.Deletion {
        guard let newest = newest.removeValue(forKey: deletion.object) else { return deletion }
        var deletion = deletion
        for (position, members) in deletion.members.enumerated()
        where !deletion.object.plan.toManys[members.index].isManyToMany {
            let later = newest.members.first { $0.index == members.index }?.ids ?? []
            let known = Set(members.ids)
            deletion.members[position].ids += later.filter { !known.contains($0) }
        }
        return deletion
    }

    /// Removes and returns the late deletions of an object whose deletion is being undone.
    mutating func take(of object: ManagedObject) -> [UndoStep.Deletion] {
        let taken = deletions.removeValue(forKey: object) ?? []
        for gone in [object] + taken.map(\.object) {
            roots[gone] = nil
            noted.remove(gone)
        }
        return taken
    }
}
