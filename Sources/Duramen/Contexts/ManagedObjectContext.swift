import DuramenModel
import DuramenStore

/// A scratch pad of managed objects over one or several stores. It fetches objects, keeps one
/// object per ID, tracks changes and saves them together.
///
/// A context and its objects belong to one isolation: the main actor, a ``BackgroundContext``, or
/// an actor of your own. It is not `Sendable`, so the compiler proves that.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
public final class ManagedObjectContext {
    /// The context's name, for diagnostics and history.
    public var name: String? {
        didSet { for part in parts { part.handle.contextName = name ?? "unnamed" } }
    }
    /// The author of saves, recorded in the history.
    public var transactionAuthor: String?
    /// Notes of the application.
    public var userInfo: [String: any Sendable] = [:]
    /// The merge policy for conflicts between this context's save and saves by others.
    public var mergePolicy: MergePolicy
    /// How old, in seconds, the state may be that faults are read from within a unit of work. With
    /// 0 every read sees the newest state. Values that objects have are good until they are merged
    /// or refreshed.
    public var stalenessInterval = Double.infinity {
        didSet { for part in parts { part.reading.limitAge(to: stalenessInterval) } }
    }
    /// Whether the next fetch and the end of a unit of work apply delete rules, as by
    /// default, or only by the next save.
    public var propagatesDeletesAtEndOfEvent = true
    /// Where the context's data comes from.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The context that this one reads from and saves to; nil for one that does so with stores. A
    /// child keeps its parent alive.
    public let parent: ManagedObjectContext?

    /// The part for the container's first store: the only one in most programs.
    let main: ContextPart
    /// A part for each store, ``main`` first, those of removed stores included.
    @exclusivity(unchecked) private(set) var parts: ContiguousArray<ContextPart> = []
    /// Which changes of the container's stores the parts follow.
    @exclusivity(unchecked) var stores = StoresOfContext()
    /// Who uses the context.
    @exclusivity(unchecked) var ownership = ContextOwnership()
    /// The failed reads.
    @exclusivity(unchecked) var failures = ReadFailures()
    /// The objects that became others.
    @exclusivity(unchecked) var replacements = Replacements()
    /// The saves off the owner.
    var saveTurns = SaveTurns()
    /// Who is to be told of the save under way.
    @exclusivity(unchecked) var telling = SaveTelling()
    /// Who observes and listens, and what they are to be told; nil while nobody does.
    @exclusivity(unchecked) var events: ContextEvents? {
        didSet { for part in parts { part.events = events } }
    }
    /// Who wants to know when the context goes to its stores; nil while nobody does.
    var roundTrips: RoundTripWatch? {
        didSet { for part in parts { part.roundTrips = roundTrips } }
    }
    /// Notes what can be taken back; nil while nothing can.
    @exclusivity(unchecked) var undoRecorder: UndoRecorder? {
        didSet { for part in parts { part.undoRecorder = undoRecorder } }
    }

    /// Makes a context that reads from the container's stores.
    init(coordinator: PersistentStoreCoordinator, options: ContextOptions) {
        name = options.name
        transactionAuthor = options.author
        mergePolicy = options.mergePolicy ?? .error
        persistentStoreCoordinator = coordinator
        parent = nil
        main = ContextPart(
            for: coordinator.main, of: coordinator, name: options.name,
            isMerging: options.automaticallyMergesChangesFromParent, childOf: nil)
        stores.hasOne = main.model === coordinator.managedObjectModel
        add(main)
        noticeStores()
    }

    /// Makes a context that reads from a parent's parts, and saves to them.
    init(childOf parent: ManagedObjectContext, options: ContextOptions) {
        name = options.name
        transactionAuthor = options.author ?? parent.transactionAuthor
        mergePolicy = options.mergePolicy ?? .error
        persistentStoreCoordinator = parent.persistentStoreCoordinator
        self.parent = parent
        main = ContextPart(
            for: parent.main.connection, of: parent.persistentStoreCoordinator,
            name: options.name, isMerging: options.automaticallyMergesChangesFromParent,
            childOf: parent.main)
        stores.hasOne = parent.stores.hasOne
        stores.changeCount = parent.stores.changeCount
        add(main)
        for part in parent.parts.dropFirst() { addPart(for: part.connection) }
    }

    deinit {
        // Runs on any thread: the last reference is gone, so nobody uses the objects' context
        // meanwhile. Only an inbox may, whose unit of work ends all parts, so that all inboxes are
        // first.
        for part in parts { part.inbox.detach() }
        for part in parts { part.end() }
    }

    /// Adds the part for a store.
    func add(_ part: ContextPart) {
        part.join(self)
        parts.append(part)
    }

    /// The object IDs that the last save replaced, each with its new ID. An object's ID is replaced
    /// when the object is merged with another one that has the same unique values. References are
    /// updated automatically.
    public var replacedObjectIDs: [ManagedObjectID: ManagedObjectID] { replacements.survivors }

    /// Whether saves of other contexts are merged into this one, between its units of work. A
    /// context that is pinned to a query generation cannot: setting it to true traps.
    public var automaticallyMergesChangesFromParent: Bool {
        get { main.inbox.isMerging }
        set {
            if newValue { requireUnpinned() }
            for part in parts { part.inbox.isMerging = newValue }
        }
    }

    /// A closure that is called when a property cannot be read. The next save throws the error too,
    /// unless a `noAction` rule may have left the reference to the missing object.
    public var onFaultFailure: ((ManagedObject, any Error) -> Void)? {
        get { failures.observer }
        set { failures.observer = newValue }
    }

    /// Whether reading a property of an object that is missing in the store treats the object as
    /// deleted, without an error. The property then has its default or zero value, and
    /// ``deletedObjects`` contains the object. Methods that throw, such as
    /// ``ManagedObject/load()``, still throw.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { failures.countsAsDeleted }
        set { failures.countsAsDeleted = newValue }
    }

    /// Decides that for each such object, in place of ``shouldDeleteInaccessibleFaults``.
    public var onInaccessibleFault: ((ManagedObject) -> Bool)? {
        get { failures.judge }
        set { failures.judge = newValue }
    }
}

@available(*, unavailable, message: "a context belongs to one isolation; use perform")
extension ManagedObjectContext: Sendable {}
