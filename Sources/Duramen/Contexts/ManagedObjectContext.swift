import DuramenModel
import DuramenStore

/// A scratch pad of managed objects over a store: fetches them, keeps one object per ID, tracks their
/// changes and saves them as one.
///
/// A context and its objects belong to one isolation: the main actor, a ``BackgroundContext``, or an
/// actor of your own. It is not `Sendable`, so the compiler proves that.
public final class ManagedObjectContext {
    /// The context's name, for diagnostics and history.
    public let name: String?
    /// Who saves, for history.
    public var transactionAuthor: String?
    /// Notes of the application.
    public var userInfo: [String: any Sendable] = [:]
    /// Is told when a property cannot be read. The next save throws the error too.
    public var onFaultFailure: ((ManagedObject, any Error) -> Void)?
    /// Where the context's data comes from.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    let model: ManagedObjectModel
    /// The store that ``snapshot`` is of, which must live as long.
    var store: any PersistentStore
    let handle: ContextHandle
    let inbox: Inbox
    let plans: ContiguousArray<EntityPlan>
    let tables: [ObjectTable]
    /// The plans, for steps that count no references.
    // Sound: `plans` keeps them, and they their tables.
    let borrowedPlans: ContiguousArray<Unmanaged<EntityPlan>>

    var arena: RowArena { handle.arena }
    @exclusivity(unchecked) var inserted = ContiguousArray<ManagedObject>()
    @exclusivity(unchecked) var updated = ContiguousArray<ManagedObject>()
    var deleted = ContiguousArray<ManagedObject>()
    /// Deleted objects whose delete rules are still to be applied.
    var deletesToPropagate = ContiguousArray<ManagedObject>()
    /// What `deny` rules protect from deletions that are not saved yet.
    var denials: [Denial] = []
    /// What other contexts deleted since the last save here; some may be forgotten since.
    var deletedElsewhere: [ManagedObjectID] = []
    /// What other contexts deleted since there are changes here.
    var deletionsSinceChanges: Set<ManagedObjectID> = []
    /// Whether this context saved while others' saves waited to be merged, which may be older then.
    var hasSavedSinceDrain = false
    /// Objects with edits of to-manys.
    var touched = ContiguousArray<ManagedObject>()
    /// Many-to-many pairs to add (true) or to remove (false).
    var edges: [EdgeKey: Bool] = [:]
    /// The numbers that the save under way gives to pairs.
    var pairNumbers: [EdgeKey: PairNumbers] = [:]
    @exclusivity(unchecked) var permanentKeys = PermanentKeys()
    /// Grows whenever temporary keys become permanent.
    var keyEpoch = 0
    var faultFailures: [any Error] = []
    /// The state that faults are read from, until the unit of work ends.
    var snapshot: (any StoreSnapshot)?
    /// A save that threw `.unknownOutcome`, until this context has found out.
    var unresolved: UnresolvedSave?
    /// Whether the inbox knows where to schedule drains.
    var hasOwner = false
    /// Whether a closure of `perform` runs, which ends the unit of work itself.
    var isPerforming = false
    /// Blocks of rows that are linked in the order of their fetch.
    var linkedBlocks: [RowStorage] = []
    // Sound: `plans` keeps it.
    @exclusivity(unchecked)
    var lastClassPlan: (type: ObjectIdentifier, plan: Unmanaged<EntityPlan>)?

    init(coordinator: PersistentStoreCoordinator, options: ContextOptions) {
        name = options.name
        transactionAuthor = options.author
        persistentStoreCoordinator = coordinator
        model = coordinator.managedObjectModel
        store = coordinator.store
        handle = ContextHandle(
            model: model, store: store.handle, contextName: options.name ?? "unnamed")
        inbox = Inbox(isMerging: options.automaticallyMergesChangesFromParent)
        var tables: [Int: ObjectTable] = [:]
        var plans = ContiguousArray<EntityPlan>()
        for entity in model.entities {
            let table = tables[entity.root.index] ?? ObjectTable()
            tables[entity.root.index] = table
            plans.append(EntityPlan(entity: entity, handle: handle, table: table))
        }
        for plan in plans { plan.connect(plans, model: model) }
        self.plans = plans
        self.tables = Array(tables.values)
        borrowedPlans = ContiguousArray(plans.map { .passUnretained($0) })
        handle.attach(self)
        inbox.attach(self)
        coordinator.add(inbox)
    }

    deinit {
        // Runs on any thread: the last reference is gone, so nobody uses the objects' context meanwhile.
        inbox.detach()
        handle.detach()
        unlinkBlocks()
        persistentStoreCoordinator.remove(inbox)
        if let unresolved { persistentStoreCoordinator.forget(unresolved.save) }
        for table in tables { table.removeAll() }
    }

    /// Whether saves of other contexts are merged into this one, between its units of work.
    public var automaticallyMergesChangesFromParent: Bool {
        get { inbox.isMerging }
        set { inbox.isMerging = newValue }
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
