import DuramenModel

/// What objects hold of their context: a place to find it, cleared when the context dies.
@usableFromInline final class ContextHandle {
    // Sound: the context clears this in its `deinit`, and objects are used in its isolation only.
    @exclusivity(unchecked) private var reference: Unmanaged<ManagedObjectContext>?
    let model: ManagedObjectModel
    let store: StoreHandle
    let contextName: String
    /// Where new and changed objects keep their values.
    let arena = RowArena()

    init(model: ManagedObjectModel, store: StoreHandle, contextName: String) {
        self.model = model
        self.store = store
        self.contextName = contextName
    }

    func attach(_ context: ManagedObjectContext) { reference = .passUnretained(context) }

    func detach() { reference = nil }

    /// The context; nil when it is gone.
    var liveContext: ManagedObjectContext? { reference?.takeUnretainedValue() }

    /// The context of an object that cannot do without.
    func context(for object: ManagedObject) -> ManagedObjectContext {
        guard let context = liveContext else {
            fatalError(
                "Duramen: \(object.objectID) was used after its context '\(contextName)' was gone. "
                    + "Keep the context for as long as its objects are used.")
        }
        return context
    }
}
