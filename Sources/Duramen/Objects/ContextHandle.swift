import DuramenModel

/// The link from objects to their part of their context; cleared when the context ends.
@usableFromInline final class ContextHandle {
    // Sound: the context has its parts clear this in its `deinit`, and objects are used in its
    // isolation only.
    @exclusivity(unchecked) private var reference: Borrowed<ContextPart>?
    let model: ManagedObjectModel
    let store: StoreHandle
    var contextName: String
    /// Whether uses of the context outside of its owner are detected.
    let checksOwner = ConcurrencyCheck.isOn
    /// The storage for values of new and changed objects.
    let arena = RowArena(hasLargeBlocks: true)

    init(model: ManagedObjectModel, store: StoreHandle, contextName: String) {
        self.model = model
        self.store = store
        self.contextName = contextName
    }

    func attach(_ part: ContextPart) { reference = Borrowed(part) }

    func detach() { reference = nil }

    /// The part; nil after the context is gone.
    var livePart: ContextPart? { reference?.object }

    /// The context of the part; nil after it is gone.
    var liveContext: ManagedObjectContext? { livePart.map { $0.context } }

    /// Returns the part of an object; traps if the context is gone.
    func part(for object: ManagedObject) -> ContextPart {
        withPart(for: object) { $0 }
    }

    /// Runs a step with the part of an object, without reference counting; traps if the context is
    /// gone.
    @inline(__always)
    func withPart<Result>(
        for object: ManagedObject, _ body: (ContextPart) throws -> Result
    ) rethrows -> Result {
        guard let reference else { failWithoutContext(object) }
        // Sound: users of an object keep its context alive, as the message says.
        return try reference.with(body)
    }

    @inline(never)
    private func failWithoutContext(_ object: ManagedObject) -> Never {
        fatalError(
            "Duramen: \(object.objectID) was used after its context '\(contextName)' was gone. "
                + "Keep the context for as long as its objects are used.")
    }
}
