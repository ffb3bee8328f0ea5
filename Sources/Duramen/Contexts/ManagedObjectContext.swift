import DuramenModel
import DuramenStore

/// A scratch pad of managed objects over one or several stores. It fetches objects, keeps one
/// object per ID, tracks changes and saves them together.
///
/// A context and its objects belong to one isolation: the main actor, a ``BackgroundContext``, or an
/// actor of your own. It is not `Sendable`, so the compiler proves that.
public final class ManagedObjectContext {
    /// The context's name, for diagnostics and history.
    public var name: String? {
        didSet {
            handle.contextName = name ?? "unnamed"
            for part in others { part.name = name }
        }
    }
    /// The author of saves, recorded in the history.
    public var transactionAuthor: String?
    /// Notes of the application.
    public var userInfo: [String: any Sendable] = [:]
    /// A closure that is called when a property cannot be read. The next save throws the error too,
    /// unless a `noAction` rule may have left the reference to the missing object.
    public var onFaultFailure: ((ManagedObject, any Error) -> Void)?
    /// The merge policy for conflicts between this context's save and saves by others.
    public var mergePolicy: MergePolicy
    /// The object IDs that the last save replaced, each with its new ID. An object's ID is replaced
    /// when the object is merged with another one that has the same unique values. References are
    /// updated automatically.
    public var replacedObjectIDs: [ManagedObjectID: ManagedObjectID] {
        reportedReplacements.survivors
    }
    /// Whether reading a property of an object that is missing in the store treats the object as
    /// deleted, without an error. The property then has its default or zero value, and
    /// ``deletedObjects`` contains the object. Methods that throw, such as
    /// ``ManagedObject/load()``, still throw.
    public var shouldDeleteInaccessibleFaults = false
    /// Decides that for each such object, in place of ``shouldDeleteInaccessibleFaults``.
    public var onInaccessibleFault: ((ManagedObject) -> Bool)?
    /// How old, in seconds, the state may be that faults are read from within a unit of work. With 0 every read
    /// sees the newest state. Values that objects have are good until they are merged or refreshed.
    public var stalenessInterval = Double.infinity
    /// Where the context's data comes from.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The store that the context itself is for. A context over several stores has one more context, a
    /// part of it, for each other store.
    let connection: StoreConnection
    /// The parts for the other stores, in the order of the stores.
    @exclusivity(unchecked) var others: [ManagedObjectContext] = []
    /// The context that this is a part of; nil for one that an application has.
    // Sound: that one keeps its parts, and takes them out of their inboxes before it ends, so that nobody
    // runs a part that outlives it.
    private let wholeReference: Unmanaged<ManagedObjectContext>?
    /// Of a child, the context that it reads from and saves to; of its parts, the parent's part for the same
    /// store.
    let parentPart: ManagedObjectContext?
    /// The children that were made of this context; some may be gone since.
    @exclusivity(unchecked) var children: [ChildReference] = []
    /// Whether the context's own store was removed from the container, so that it has no objects any more.
    var isStoreRemoved = false
    /// Whether there is one store, which keeps every entity of the container's model: the frequent case.
    @exclusivity(unchecked) var isPlain: Bool
    /// How many changes of the container's stores are known.
    @exclusivity(unchecked) var storeChangeCount = 0
    /// IDs of saved objects that objects of other stores lead to. References have room for a key only, so
    /// each has a temporary one here, which no store takes.
    var aliases: [Int64: ManagedObjectID] = [:]

    /// The model of the store.
    let model: ManagedObjectModel
    /// What is read from.
    @exclusivity(unchecked) var reading: ReadView
    let handle: ContextHandle
    let inbox: Inbox
    /// Which object is the one of an ID.
    @exclusivity(unchecked) var identity: IdentityMap

    var arena: RowArena { handle.arena }
    /// What is known of each entity, by its index.
    @inline(__always) var plans: ContiguousArray<EntityPlan> { identity.plans }
    /// The registered objects, a table for each hierarchy.
    var tables: [ObjectTable] { identity.tables }
    /// What is to be saved.
    @exclusivity(unchecked) var tracker = ChangeTracker()
    /// What others did.
    @exclusivity(unchecked) var ledger = MergeLedger()
    /// What the last save made of ``newReplacements``.
    var reportedReplacements = Replacements()
    /// The objects that became others since the last save, of all parts.
    @exclusivity(unchecked) var newReplacements = Replacements()
    @exclusivity(unchecked) var faultFailures: [any Error] = []
    /// Where the save of this part is.
    @exclusivity(unchecked) var savePhase = SavePhase()
    /// The saves off the owner.
    var saveTurns = SaveTurns()
    /// The owner of the context; nil until its first use. A child takes that of its parent.
    @exclusivity(unchecked) var owner: ContextOwner?
    /// Whether uses outside of the owner are noticed.
    let checksOwner = ConcurrencyCheck.isOn
    /// Whether a closure of `perform` runs, which ends the unit of work itself.
    @exclusivity(unchecked) var isPerforming = false
    /// Whether the next fetch and the end of a unit of work apply delete rules, as by
    /// default, or only by the next save.
    public var propagatesDeletesAtEndOfEvent = true
    /// The hooks that some class of the model overrides.
    let hooks: LifecycleHooks
    /// Whether some class judges its objects itself.
    let hasOwnRules: Bool
    /// Objects that were given values from the store and are to awake.
    @exclusivity(unchecked) var fetchedObjects = ContiguousArray<ManagedObject>()
    /// Objects whose values were replaced and that are to awake.
    @exclusivity(unchecked) var replacedObjects: [(ManagedObject, SnapshotEvents)] = []
    /// Who is to be told of the save under way.
    @exclusivity(unchecked) var telling = SaveTelling()
    /// Who observes and listens, and what they are to be told; nil while nobody does. One for all parts.
    @exclusivity(unchecked) var events: ContextEvents?
    /// Who wants to know when the context goes to its store; nil while nobody does.
    var roundTrips: RoundTripWatch?
    /// Notes what can be taken back; nil while nothing can. One for all parts.
    @exclusivity(unchecked) var undoRecorder: UndoRecorder?

    convenience init(coordinator: PersistentStoreCoordinator, options: ContextOptions) {
        self.init(coordinator, coordinator.main, options, partOf: nil, childOf: nil)
        noticeStores()
    }

    /// Makes a context for one store, which reads from it or from a parent.
    init(
        _ coordinator: PersistentStoreCoordinator, _ connection: StoreConnection,
        _ options: ContextOptions, partOf whole: ManagedObjectContext?,
        childOf parent: ManagedObjectContext?
    ) {
        name = options.name
        transactionAuthor = options.author
        mergePolicy = options.mergePolicy ?? .error
        persistentStoreCoordinator = coordinator
        self.connection = connection
        // Sound: see the property.
        wholeReference = whole.map { .passUnretained($0) }
        model = connection.model
        isPlain = whole == nil && model === coordinator.managedObjectModel
        parentPart = parent
        reading = ReadView(of: parent.map { ParentStore($0) } ?? connection.store)
        handle = ContextHandle(
            model: model, store: reading.store.handle, contextName: options.name ?? "unnamed")
        inbox = Inbox(isMerging: options.automaticallyMergesChangesFromParent)
        let handle = handle
        identity = IdentityMap(model) { entity, table in
            EntityPlan(
                entity: entity, in: coordinator.managedObjectModel, handle: handle, table: table,
                template: connection.templates[entity.id.index])
        }
        let plans = identity.plans
        hooks = plans.reduce(into: []) { $0.formUnion($1.hooks) }
        hasOwnRules =
            !hooks.isDisjoint(with: .validation) || plans.contains { !$0.propertyRules.isEmpty }
        handle.attach(self)
        inbox.attach(self)
        if let parent { joinFamily(of: parent) }
    }

    deinit {
        // Runs on any thread: the last reference is gone, so nobody uses the objects' context meanwhile.
        inbox.detach()
        for part in others { part.inbox.detach() }
        handle.detach()
        reading.unlinkBlocks()
        connection.subscribers.remove(inbox)
        if let unresolved = savePhase.unresolved { connection.forget(unresolved.save) }
        for table in tables { table.removeAll() }
    }

    /// Whether saves of other contexts are merged into this one, between its units of work. A context that is
    /// pinned to a query generation cannot: setting it to true traps.
    public var automaticallyMergesChangesFromParent: Bool {
        get { inbox.isMerging }
        set {
            if newValue { requireUnpinned() }
            forEachPart { $0.inbox.isMerging = newValue }
        }
    }

    /// The store that is read from.
    var store: any PersistentStore { reading.store }

    /// Whether the snapshot of the unit of work is older than ``stalenessInterval``.
    @inline(__always)
    var isSnapshotStale: Bool {
        let limit = isPlain ? stalenessInterval : whole.stalenessInterval
        return limit < .infinity && reading.isOlder(than: limit)
    }

    /// The context that the application has: this one, or the one that it is a part of.
    var whole: ManagedObjectContext { wholeReference?.takeUnretainedValue() ?? self }

    /// Runs a step with ``whole``, without counting references.
    @inline(__always)
    func withWhole<Result>(_ body: (ManagedObjectContext) -> Result) -> Result {
        // Sound: the whole keeps its parts, and outlives them; see `wholeReference`.
        guard let wholeReference else { return body(self) }
        return wholeReference._withUnsafeGuaranteedRef(body)
    }

    /// The contexts that ``whole`` is made of, one for each store, those of removed stores included.
    var parts: [ManagedObjectContext] {
        let whole = whole
        return [whole] + whole.others
    }

    /// Does something with every registered object of this context's own store, which may run hooks.
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

    /// Does something with every one of ``parts``.
    @inline(__always)
    func forEachPart(_ body: (ManagedObjectContext) throws -> Void) rethrows {
        if isPlain { return try body(self) }
        for part in parts { try body(part) }
    }
}

@available(*, unavailable, message: "a context belongs to one isolation; use perform")
extension ManagedObjectContext: Sendable {}
