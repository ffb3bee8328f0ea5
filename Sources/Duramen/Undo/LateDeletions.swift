/// What delete rules took when others saved new members of an object that is deleted here.
///
/// No event of the application did that. So these deletions are in no step of their own, and are
/// taken back with that of the owner.
struct LateDeletions {
    /// The owners whose rules are to be applied again, and what these took already; each with the
    /// object whose deletion was the application's.
    private var roots: [ManagedObject: ManagedObject] = [:]
    private var deletions: [ManagedObject: [UndoStep.Deletion]] = [:]
    /// The object whose rules are applied now.
    private var root: ManagedObject?

    /// Whether what is deleted now belongs here.
    var isNoting: Bool { root != nil }

    mutating func noteOwner(_ object: ManagedObject) {
        if roots[object] == nil { roots[object] = object }
    }

    mutating func begin(_ object: ManagedObject) {
        if !roots.isEmpty { root = roots[object] }
    }

    mutating func end() { root = nil }

    mutating func note(_ object: ManagedObject) {
        guard let root else { return }
        roots[object] = root
        deletions[root, default: []].append(UndoStep.Deletion(object: object))
    }

    /// Replaces the note of an object whose own rules begin.
    mutating func note(_ deletion: UndoStep.Deletion) {
        guard let root,
            let place = deletions[root]?.firstIndex(where: { $0.object === deletion.object })
        else { return }
        deletions[root]?[place] = deletion
    }

    /// What came with the deletion of an object, which is taken back now.
    mutating func take(of object: ManagedObject) -> [UndoStep.Deletion] {
        guard let taken = deletions.removeValue(forKey: object) else {
            roots[object] = nil
            return []
        }
        for deletion in taken { roots[deletion.object] = nil }
        roots[object] = nil
        return taken
    }
}
