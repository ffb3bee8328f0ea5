import DuramenModel

extension ContextPart {
    /// Calls the hook of an object that is about to be deleted, or is deleted again. A call within
    /// the call does nothing.
    func prepareForDeletion(of object: ManagedObject) {
        guard object.overrides(.prepareForDeletion),
            object.flags.isDisjoint(with: [.preparing, .gone, .deletedElsewhere])
        else { return }
        object.flags.insert(.preparing)
        object.prepareForDeletion()
        object.flags.remove(.preparing)
    }
}
