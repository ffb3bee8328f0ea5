import DuramenModel

extension ContextPart {
    /// Calls the hook of an object before its deletion, or before a deletion is redone. A recursive
    /// call does nothing.
    func prepareForDeletion(of object: ManagedObject) {
        guard object.overrides(.prepareForDeletion),
            object.flags.isDisjoint(with: [.preparing, .gone, .deletedElsewhere])
        else { return }
        object.flags.insert(.preparing)
        object.prepareForDeletion()
        object.flags.remove(.preparing)
    }
}
