import DuramenModel
import DuramenStore

/// The state of a context for one store: the store's objects, their changes, the snapshot that they
/// are loaded from, and changes by others.
///
/// Objects find their part through their handle. The state consists of structs, each in a folder
/// beside this file, that never call application code; the part does that between their steps. A
/// context has a part for each of its stores, and calls them one after another.
final class ContextPart {
    /// The context; cleared when the context ends.
    // Sound: the context keeps its parts, and clears this in its `deinit`.
    @exclusivity(unchecked) private var contextReference: Borrowed<ManagedObjectContext>?
    /// In a child, the parent's part for the same store, which this part loads from and saves to.
    let parentPart: ContextPart?
    /// The parts of child contexts; some may be gone.
    @exclusivity(unchecked) var children: [ChildReference] = []

    /// The coordinator of the stores that the context uses.
    let persistentStoreCoordinator: PersistentStoreCoordinator
    let connection: StoreConnection
    /// The model of the store.
    let model: ManagedObjectModel
    let handle: ContextHandle
    let inbox: Inbox
    /// Whether the store was removed from the container, so that there are no objects any more.
    var isStoreRemoved = false

    /// The state of the store that is read.
    @exclusivity(unchecked) var reading: ReadView
    /// The registered objects by ID.
    @exclusivity(unchecked) var identity: IdentityMap
    /// The changes to save.
    @exclusivity(unchecked) var tracker = ChangeTracker()
    /// The changes by others.
    @exclusivity(unchecked) var ledger = MergeLedger()
    /// The phase of the save.
    @exclusivity(unchecked) var savePhase = SavePhase()
    /// The objects whose awake hooks are due.
    @exclusivity(unchecked) var awaking = AwakingObjects()

    /// The hooks that classes of the model override.
    let hooks: LifecycleHooks
    /// Whether classes define validation rules.
    let hasOwnRules: Bool
    // Copies of the context's properties, which the context sets.
    @exclusivity(unchecked) var events: ContextEvents?
    var roundTrips: RoundTripWatch?
    @exclusivity(unchecked) var undoRecorder: UndoRecorder?

    /// Creates the part for one store of a context. Call ``join(_:)`` afterwards.
    ///
    /// - Parameters:
    ///   - connection: The connection of the store.
    ///   - coordinator: The coordinator of the stores.
    ///   - name: The context's name.
    ///   - isMerging: Whether saves of other contexts are merged.
    ///   - parent: The parent's part to load from; nil to load from the store.
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

    /// Attaches the part to its context, which must retain it.
    func join(_ context: ManagedObjectContext) {
        contextReference = Borrowed(context)
        reading.limitAge(to: context.stalenessInterval)
        events = context.events
        roundTrips = context.roundTrips
        undoRecorder = context.undoRecorder
    }

    /// Detaches the part from its users when its context ends. Its inbox must be detached already.
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

    /// The context of this part.
    var context: ManagedObjectContext { withContext { $0 } }

    /// Runs a step with the context, without reference counting.
    @inline(__always)
    func withContext<Result>(
        _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        guard let contextReference else { failWithoutContext() }
        // Sound: users of a part keep its context alive, as the message says.
        return try contextReference.with(body)
    }

    @inline(never)
    private func failWithoutContext() -> Never {
        fatalError(
            "Duramen: the context '\(handle.contextName)' was gone while its objects were used. "
                + "Keep the context for as long as its objects are used.")
    }

    /// Whether this is the only part, and its store contains every entity.
    @inline(__always)
    var isAlone: Bool { withContext { $0.stores.hasOne } }

    // MARK: - State

    /// The store that is read.
    var store: any PersistentStore { reading.store }

    var arena: RowArena { handle.arena }

    /// The plans of the entities, by index.
    @inline(__always) var plans: ContiguousArray<EntityPlan> { identity.plans }

    /// The registered objects, a table for each hierarchy.
    var tables: [ObjectTable] { identity.tables }

    /// Runs a closure, which may call hooks, for every registered object.
    func forEachObject(_ body: (ManagedObject) -> Void) {
        if !hooks.contains(.turnIntoFault) {
            for table in tables { table.forEach(body) }
            return
        }
        // Hooks may register objects, so they must not run while a table is iterated.
        var objects: [ManagedObject] = []
        for table in tables { table.forEach { objects.append($0) } }
        for object in objects { body(object) }
    }
}
