import DuramenModel

/// What objects hold of their context: a place to find it, cleared when the context dies.
@usableFromInline final class ContextHandle {
    // Sound: the context clears this in its `deinit`, and objects are used in its isolation only.
    @exclusivity(unchecked) private var reference: Unmanaged<ManagedObjectContext>?
    let model: ManagedObjectModel
    let store: StoreHandle
    var contextName: String
    /// Where new and changed objects keep their values.
    let arena = RowArena(hasLargeBlocks: true)

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
        withContext(for: object) { $0 }
    }

    /// Runs a step with the context of an object that cannot do without, without counting references.
    @inline(__always)
    func withContext<Result>(
        for object: ManagedObject, _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        guard let reference else { failWithoutContext(object) }
        // Sound: whoever uses an object keeps its context for as long, as the message says.
        return try reference._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private func failWithoutContext(_ object: ManagedObject) -> Never {
        fatalError(
            "Duramen: \(object.objectID) was used after its context '\(contextName)' was gone. "
                + "Keep the context for as long as its objects are used.")
    }
}
