/// What delete rules took when others saved new members of an object that is deleted here.
///
/// No event of the application did that. So these deletions are in no step of their own, and are
/// taken back with that of the owner.
struct LateDeletions {
    /// The object whose deletion was the application's, for each whose rules belong to it: itself,
    /// and what its rules took later.
    private var roots: [ManagedObject: ManagedObject] = [:]
    /// By root, what its rules took later, each as it was before its own rules.
    private var deletions: [ManagedObject: [UndoStep.Deletion]] = [:]
    /// The objects in `deletions`.
    private var noted: Set<ManagedObject> = []
    /// What roots were related to when their rules were applied the last time.
    private var newest: [ManagedObject: UndoStep.Deletion] = [:]
    /// The root of the rules that are applied now.
    private var root: ManagedObject?

    /// Whether what is deleted now belongs here.
    var isNoting: Bool { root != nil }

    /// Notes an object whose rules are to be applied again.
    mutating func recordOwner(_ object: ManagedObject) {
        if roots[object] == nil { roots[object] = object }
    }

    mutating func beginRules(of object: ManagedObject) {
        if !roots.isEmpty { root = roots[object] }
    }

    mutating func endRules() { root = nil }

    /// Notes that the rules take an object, whose own are next.
    mutating func recordDeletion(of object: ManagedObject) { roots[object] = root }

    /// Notes what an object was related to before its rules, which may be applied more than once.
    mutating func record(_ deletion: UndoStep.Deletion) {
        guard let root else { return }
        if root === deletion.object { return newest[root] = deletion }
        if noted.insert(deletion.object).inserted { deletions[root, default: []].append(deletion) }
    }

    /// Removes what is noted of a deletion that is taken back now, and adds the members that others
    /// led there meanwhile, which a rule leaves alone.
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

    /// Removes and returns what came with the deletion of an object, which is taken back now.
    mutating func take(of object: ManagedObject) -> [UndoStep.Deletion] {
        let taken = deletions.removeValue(forKey: object) ?? []
        for gone in [object] + taken.map(\.object) {
            roots[gone] = nil
            noted.remove(gone)
        }
        return taken
    }
}
