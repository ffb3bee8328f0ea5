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
    public internal(set) var replacedObjectIDs: [ManagedObjectID: ManagedObjectID] = [:]
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
    /// What changed in the parent since this context merged it last.
    var parentNews = ParentNews()
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
    /// The store that ``snapshot`` is of, which must live as long.
    @exclusivity(unchecked) var store: any PersistentStore
    let handle: ContextHandle
    let inbox: Inbox
    let plans: ContiguousArray<EntityPlan>
    let tables: [ObjectTable]
    /// The plans, for steps that count no references.
    // Sound: `plans` keeps them, and they their tables.
    let borrowedPlans: ContiguousArray<Unmanaged<EntityPlan>>

    var arena: RowArena { handle.arena }
    /// Where rows that are read one by one go.
    let singleRows = RowPool()
    @exclusivity(unchecked)
    var inserted = ContiguousArray<ManagedObject>() { didSet { followChanges() } }
    @exclusivity(unchecked)
    var updated = ContiguousArray<ManagedObject>() { didSet { followChanges() } }
    @exclusivity(unchecked)
    var deleted = ContiguousArray<ManagedObject>() { didSet { followChanges() } }
    /// The same for fetches in which unsaved changes take part; nil until there is one.
    @exclusivity(unchecked) var changedObjects: ChangedObjects?
    /// Deleted objects whose delete rules are still to be applied.
    @exclusivity(unchecked) var deletesToPropagate = ContiguousArray<ManagedObject>()
    /// What `deny` rules protect from deletions that are not saved yet.
    @exclusivity(unchecked) var denials: [Denial] = []
    /// What other contexts deleted since the last save here; some may be forgotten since.
    @exclusivity(unchecked) var deletedElsewhere: Set<ManagedObjectID> = []
    /// What other contexts deleted since there are changes here.
    @exclusivity(unchecked) var deletionsSinceChanges: Set<ManagedObjectID> = []
    /// What changed while fetches off the owner were under way.
    var changedMeanwhile = ChangesMeanwhile()
    /// Whether this context saved while others' saves waited to be merged, which may be older then.
    var hasSavedSinceDrain = false
    /// The state that this part last made.
    var savedGeneration = StoreGeneration(rawValue: .min)
    /// A state of which everything has been merged, and all that came before it.
    var mergedGeneration = StoreGeneration(rawValue: .min)
    /// Objects with edits of to-manys.
    @exclusivity(unchecked) var touched = ContiguousArray<ManagedObject>()
    /// Many-to-many pairs to add (true) or to remove (false).
    @exclusivity(unchecked) var edges: [EdgeKey: Bool] = [:]
    /// The numbers that the save under way gives to pairs.
    @exclusivity(unchecked) var pairNumbers: [EdgeKey: PairNumbers] = [:]
    @exclusivity(unchecked) var temporaryKeys = TemporaryKeys()
    @exclusivity(unchecked) var permanentKeys = PermanentKeys()
    /// What new objects of this store are since they became one with another object, by their IDs.
    @exclusivity(unchecked) var replacedIDs: [ManagedObjectID: ManagedObjectID] = [:]
    /// What the next ``replacedObjectIDs`` are made of.
    @exclusivity(unchecked) var replacementsToReport: [ManagedObjectID: ManagedObjectID] = [:]
    /// Objects that were deleted by others and inserted again here, until the deletions are merged.
    var insertedAgain: Set<ManagedObjectID> = []
    /// What stays out of the save under way.
    @exclusivity(unchecked) var changesAside: ChangesAside?
    /// Grows whenever temporary keys become permanent.
    var keyEpoch = 0
    @exclusivity(unchecked) var faultFailures: [any Error] = []
    /// What the next save depends on although it need not write it.
    @exclusivity(unchecked) var guarded: [ManagedObject: ObjectGuard] = [:]
    /// The state that faults are read from, until the unit of work ends.
    @exclusivity(unchecked) var snapshot: (any StoreSnapshot)?
    /// Which state that is.
    @exclusivity(unchecked) var queryGeneration = QueryGeneration.newest
    /// When ``snapshot`` was taken, if it may get stale.
    @exclusivity(unchecked) private var snapshotTime: ContinuousClock.Instant?
    /// A save that threw `.unknownOutcome`, until this context has found out.
    @exclusivity(unchecked) var unresolved: UnresolvedSave?
    /// The save that is being written off the owner. Its parts are ``unresolved`` meanwhile.
    var saveUnderWay: SaveUnderWay?
    /// Who waits to save off the owner.
    var waitingSaves: [CheckedContinuation<Void, Never>] = []
    /// Whether a save off the owner is prepared, written or waited for.
    var isSavingOffOwner = false
    /// The owner of the context; nil until its first use. A child takes that of its parent.
    @exclusivity(unchecked) var owner: ContextOwner?
    /// Whether uses outside of the owner are noticed.
    let checksOwner = ConcurrencyCheck.isOn
    /// Whether the context hears of saves: from the first read or registration on.
    @exclusivity(unchecked) var isSubscribed = false
    /// Whether a closure of `perform` runs, which ends the unit of work itself.
    @exclusivity(unchecked) var isPerforming = false
    /// Blocks of rows that are linked in the order of their fetch.
    @exclusivity(unchecked) var linkedBlocks: [RowStorage] = []
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
    /// Whether application code runs that prepares a save, which must not save itself.
    var isPreparingSave = false
    /// Whether somebody is to be told of the save under way.
    @exclusivity(unchecked) var isTellingOfSave = false
    /// Whether `didSave` is being called. Deleted objects still have their context in it.
    var isCallingDidSave = false
    /// Objects as they were when the save under way called their `willSave`, if they were changed since.
    var statesAtWillSave: [ManagedObject: SavedState] = [:]
    /// The objects that the save under way made clean, when somebody is to be told; nil while there are none.
    var savedObjects: ObjectsOfSave?
    /// Who observes and listens, and what they are to be told; nil while nobody does. One for all parts.
    @exclusivity(unchecked) var events: ContextEvents?
    /// Who wants to know when the context goes to its store; nil while nobody does.
    var roundTrips: RoundTripWatch?
    /// Notes what can be taken back; nil while nothing can. One for all parts.
    @exclusivity(unchecked) var undoRecorder: UndoRecorder?
    // Sound: `plans` keeps it.
    @exclusivity(unchecked)
    var lastClassPlan: (type: ObjectIdentifier, plan: Unmanaged<EntityPlan>)?

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
        store = parent.map { ParentStore($0) } ?? connection.store
        handle = ContextHandle(
            model: model, store: store.handle, contextName: options.name ?? "unnamed")
        inbox = Inbox(isMerging: options.automaticallyMergesChangesFromParent)
        var tables: [Int: ObjectTable] = [:]
        var plans = ContiguousArray<EntityPlan>()
        for entity in model.entities {
            let table = tables[entity.root.index] ?? ObjectTable()
            tables[entity.root.index] = table
            plans.append(
                EntityPlan(
                    entity: entity, in: coordinator.managedObjectModel, handle: handle,
                    table: table, template: connection.templates[entity.id.index]))
        }
        for plan in plans { plan.connect(plans, model: model) }
        self.plans = plans
        hooks = plans.reduce(into: []) { $0.formUnion($1.hooks) }
        hasOwnRules =
            !hooks.isDisjoint(with: .validation) || plans.contains { !$0.propertyRules.isEmpty }
        self.tables = Array(tables.values)
        borrowedPlans = ContiguousArray(plans.map { .passUnretained($0) })
        handle.attach(self)
        inbox.attach(self)
        if let parent { joinFamily(of: parent) }
    }

    deinit {
        // Runs on any thread: the last reference is gone, so nobody uses the objects' context meanwhile.
        inbox.detach()
        for part in others { part.inbox.detach() }
        handle.detach()
        unlinkBlocks()
        connection.subscribers.remove(inbox)
        if let unresolved { connection.forget(unresolved.save) }
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

    /// Whether ``snapshot`` is older than ``stalenessInterval``.
    @inline(__always)
    var isSnapshotStale: Bool {
        let limit = isPlain ? stalenessInterval : whole.stalenessInterval
        return limit < .infinity && isSnapshotOlder(than: limit)
    }

    private func isSnapshotOlder(than seconds: Double) -> Bool {
        guard let snapshotTime else { return true }
        return (.now - snapshotTime) / .seconds(1) >= seconds
    }

    func noteSnapshotTime() {
        snapshotTime = withWhole { $0.stalenessInterval < .infinity } ? .now : nil
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

/// A many-to-many pair, seen from the relationship with the lower number; of a relationship that is its own
/// inverse, from an end that does not change.
struct EdgeKey: Hashable {
    var relationship: RelationshipID
    var source: ManagedObject
    var destination: ManagedObject
}

/// A deleted object and a relationship whose `deny` rule protects its destinations.
struct Denial {
    var object: ManagedObject
    var relationship: Relationship
}
