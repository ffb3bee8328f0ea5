import DuramenModel
import DuramenStore

/// A scratch pad of managed objects over one or several stores. It fetches objects, keeps one
/// object per ID, tracks changes and saves them together.
///
/// A context and its objects belong to one isolation: the main actor, a ``BackgroundContext``, or
/// an actor of your own. It is not `Sendable`, so the compiler enforces this.
// Sound: unchecked exclusivity, since a context and all that it has are used in one isolation, and
// no access calls out.
public final class ManagedObjectContext {
    /// The context's name, for diagnostics and history.
    public var name: String? {
        didSet { for part in parts { part.handle.contextName = name ?? "unnamed" } }
    }
    /// The author of saves, recorded in the history.
    public var transactionAuthor: String?
    /// Values that the application stores with the context.
    public var userInfo: [String: any Sendable] = [:]
    /// The merge policy for conflicts between this context's save and saves by others.
    public var mergePolicy: MergePolicy
    /// The maximum age, in seconds, of the state that faults are loaded from within a unit of work.
    /// With 0, every read uses the newest state. Loaded values stay valid until they are merged or
    /// refreshed.
    public var stalenessInterval = Double.infinity {
        didSet { for part in parts { part.reading.limitAge(to: stalenessInterval) } }
    }
    /// Whether delete rules are applied by the next fetch and at the end of a unit of work. If
    /// false, only the next save applies them.
    public var propagatesDeletesAtEndOfEvent = true
    /// The coordinator of the stores that the context uses.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The context that this one loads from and saves to; nil if it uses stores directly. A child
    /// retains its parent.
    public let parent: ManagedObjectContext?

    /// The part for the container's first store: the only one in most programs.
    let main: ContextPart
    /// A part for each store, ``main`` first, including removed stores.
    @exclusivity(unchecked) private(set) var parts: ContiguousArray<ContextPart> = []
    /// The state of the container's stores that the parts match.
    @exclusivity(unchecked) var stores = StoresOfContext()
    /// The owner of the context.
    @exclusivity(unchecked) var ownership = ContextOwnership()
    /// Errors of loading that accessors could not throw.
    @exclusivity(unchecked) var failures = ReadFailures()
    /// The IDs of objects that merged into others.
    @exclusivity(unchecked) var replacements = Replacements()
    /// The order of saves that run off the owner.
    var saveTurns = SaveTurns()
    /// The notifications of the save in progress.
    @exclusivity(unchecked) var telling = SaveTelling()
    /// The observers and the changes to notify them of; nil while there are no observers.
    @exclusivity(unchecked) var events: ContextEvents? {
        didSet { for part in parts { part.events = events } }
    }
    /// The watch that counts round trips to the stores; nil while nothing counts them.
    var roundTrips: RoundTripWatch? {
        didSet { for part in parts { part.roundTrips = roundTrips } }
    }
    /// Records undo steps; nil without an undo manager.
    @exclusivity(unchecked) var undoRecorder: UndoRecorder? {
        didSet { for part in parts { part.undoRecorder = undoRecorder } }
    }

    /// Creates a context that uses the container's stores.
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

    /// Creates a context that loads from a parent's parts, and saves to them.
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
        // May run on any thread: the last reference is gone, so no other code uses the context.
        // Only an inbox may still end a unit of work of all parts, so all inboxes are detached
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

    /// Whether saves of other contexts are merged into this one, between its units of work. Setting
    /// true traps if the context is pinned to a query generation.
    public var automaticallyMergesChangesFromParent: Bool {
        get { main.inbox.isMerging }
        set {
            if newValue { requireUnpinned() }
            for part in parts { part.inbox.isMerging = newValue }
        }
    }

    /// A closure that is called when a property cannot be loaded. The next save also throws the
    /// error, unless a `noAction` rule may have left the reference to the missing object.
    public var onFaultFailure: ((ManagedObject, any Error) -> Void)? {
        get { failures.observer }
        set { failures.observer = newValue }
    }

    /// Whether loading an object that is missing in the store treats it as deleted, without an
    /// error. Its properties then have their default or zero values, and ``deletedObjects``
    /// contains the object. Methods that throw, such as ``ManagedObject/load()``, still throw.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { failures.countsAsDeleted }
        set { failures.countsAsDeleted = newValue }
    }

    /// A closure that decides this for each missing object; replaces
    /// ``shouldDeleteInaccessibleFaults``.
    public var onInaccessibleFault: ((ManagedObject) -> Bool)? {
        get { failures.judge }
        set { failures.judge = newValue }
    }
}

@available(*, unavailable, message: "a context belongs to one isolation; use perform")
extension ManagedObjectContext: Sendable {}
