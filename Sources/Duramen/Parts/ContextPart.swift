import DuramenModel
import DuramenStore

/// What a context is for one store: the store's objects, their changes, what they are read from,
/// and what others did meanwhile.
///
/// Objects reach their part by their handle. Its state has owners, one a folder beside this file,
/// which call no code of the application; the part does, between their steps. A context has a part
/// for each of its stores, and asks them one after the other.
final class ContextPart {
    /// The context, cleared when that ends.
    // Sound: the context keeps its parts, and clears this in its `deinit`.
    @exclusivity(unchecked) private var contextReference: Borrowed<ManagedObjectContext>?
    /// Of a child's part, the parent's for the same store, which it reads from and saves to.
    let parentPart: ContextPart?
    /// The parts of children that were made of this one; some may be gone since.
    @exclusivity(unchecked) var children: [ChildReference] = []

    /// Where the context's data comes from.
    let persistentStoreCoordinator: PersistentStoreCoordinator
    let connection: StoreConnection
    /// The model of the store.
    let model: ManagedObjectModel
    let handle: ContextHandle
    let inbox: Inbox
    /// Whether the store was removed from the container, so that there are no objects any more.
    var isStoreRemoved = false

    /// What is read from.
    @exclusivity(unchecked) var reading: ReadView
    /// Which object is the one of an ID.
    @exclusivity(unchecked) var identity: IdentityMap
    /// What is to be saved.
    @exclusivity(unchecked) var tracker = ChangeTracker()
    /// What others did.
    @exclusivity(unchecked) var ledger = MergeLedger()
    /// Where the save is.
    @exclusivity(unchecked) var savePhase = SavePhase()
    /// The objects that are to awake.
    @exclusivity(unchecked) var awaking = AwakingObjects()

    /// The hooks that some class of the model overrides.
    let hooks: LifecycleHooks
    /// Whether some class judges its objects itself.
    let hasOwnRules: Bool
    // Those of the context, which sets them.
    @exclusivity(unchecked) var events: ContextEvents?
    var roundTrips: RoundTripWatch?
    @exclusivity(unchecked) var undoRecorder: UndoRecorder?

    /// Makes the part for one store of a context, which it is to ``join(_:)``.
    ///
    /// - Parameters:
    ///   - name: The context's name.
    ///   - isMerging: Whether saves of other contexts are merged.
    ///   - parent: The parent's part that is read from; nil to read from the store.
    init(
        for connection: StoreConnection, of coordinator: PersistentStoreCoordinator,
        name: String?, isMerging: Bool, childOf parent: ContextPart?
    ) {
        persistentStoreCoordinator = coordinator
        self.connection = connection
        model = connection.model
        parentPart = parent
        reading = ReadView(of: parent.map { ParentStore($0) } ?? connection.store)
        handle = ContextHandle(
            model: model, store: reading.store.handle, contextName: name ?? "unnamed")
        inbox = Inbox(isMerging: isMerging)
        let handle = handle
        identity = IdentityMap(model) { entity, table in
            EntityPlan(
                entity: entity, in: coordinator.managedObjectModel, handle: handle, table: table,
                template: connection.templates[entity.id.index])
        }
        let plans = identity.plans
        hooks = plans.reduce(into: []) { $0.formUnion($1.hooks) }
        hasOwnRules =
            !hooks.isDisjoint(with: .validation)
            || plans.contains { !$0.demands.propertyRules.isEmpty }
        handle.attach(self)
        inbox.attach(self)
        if let parent { joinFamily(of: parent) }
    }

    /// Becomes a part of a context, which is to keep it.
    func join(_ context: ManagedObjectContext) {
        contextReference = Borrowed(context)
        reading.limitAge(to: context.stalenessInterval)
        events = context.events
        roundTrips = context.roundTrips
        undoRecorder = context.undoRecorder
    }

    /// Takes the part out of everything that could still use it, since its context ends. Its inbox
    /// is detached.
    func end() {
        handle.detach()
        contextReference = nil
        reading.unlinkBlocks()
        connection.subscribers.remove(inbox)
        if let unresolved = savePhase.unresolved { connection.forget(unresolved.save) }
        for table in tables { table.removeAll() }
    }

    // MARK: - The context

    /// Whether the context is gone.
    var hasEnded: Bool { contextReference == nil }

    /// The context that this is a part of.
    var context: ManagedObjectContext { withContext { $0 } }

    /// Runs a step with the context, without counting references.
    @inline(__always)
    func withContext<Result>(
        _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        guard let contextReference else { failWithoutContext() }
        // Sound: whoever uses a part keeps its context for as long, as the message says.
        return try contextReference.with(body)
    }

    @inline(never)
    private func failWithoutContext() -> Never {
        fatalError(
            "Duramen: the context '\(handle.contextName)' was gone while its objects were used. "
                + "Keep the context for as long as its objects are used.")
    }

    /// Whether there is no other part, and the store keeps every entity.
    @inline(__always)
    var isAlone: Bool { withContext { $0.stores.hasOne } }

    // MARK: - What it is made of

    /// The store that is read from.
    var store: any PersistentStore { reading.store }

    var arena: RowArena { handle.arena }

    /// What is known of each entity, by its index.
    @inline(__always) var plans: ContiguousArray<EntityPlan> { identity.plans }

    /// The registered objects, a table for each hierarchy.
    var tables: [ObjectTable] { identity.tables }

    /// Does something with every registered object, which may run hooks.
    func forEachObject(_ body: (ManagedObject) -> Void) {
        if !hooks.contains(.turnIntoFault) {
            for table in tables { table.forEach(body) }
            return
        }
        // A hook may register objects, for which tables must not be walked over.
        var objects: [ManagedObject] = []
        for table in tables { table.forEach { objects.append($0) } }
        for object in objects { body(object) }
    }
}
