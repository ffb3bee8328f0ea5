public import DuramenModel
public import DuramenQuery

/// A controller that keeps the results of a fetch request, in order and in sections, up to date
/// with their context.
///
/// ```swift
/// let controller = FetchedResultsController(
///     fetchRequest: FetchRequest<Quake>().sorted(by: \.place).sorted(by: \.time, .descending),
///     managedObjectContext: container.viewContext, sectionNameKeyPath: "place")
/// controller.delegate = self
/// try controller.performFetch()
/// ```
/// The results are always those of a new fetch. They are updated after each unit of work, before
/// each save, and by ``ManagedObjectContext/processPendingChanges()``. Unsaved changes, merged
/// saves of other contexts, and saves of children are included. So are changes of related objects
/// that the predicate, the order or the sections use. A limit is kept exactly. Predicates that use
/// the clock or random values are evaluated again only for changed objects.
///
/// The results hold rows, not objects. Objects are created on access, and the context may release
/// them again. Whole rows are loaded; the request's properties to fetch, fault options, batch size
/// and prefetching are ignored. An update costs O(*k* log *n*) comparisons when *k* of *n* objects
/// change. It needs no statement, unless related objects must be loaded or a limit needs rows that
/// are not loaded. All rows are loaded again if others saved half of them at once, because that
/// takes less time. A twelfth suffices if nobody receives the changes of single objects.
///
/// Updates start with ``performFetch(isolation:)`` and are made while there is a delegate, a
/// listener or an observer. New objects then get permanent IDs early, which costs a lease of keys.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The fetch request. Changes take effect at the next ``performFetch(isolation:)``.
    public var fetchRequest: FetchRequest<Object>
    /// The context of the objects.
    public let managedObjectContext: ManagedObjectContext
    /// The key path that names the sections; nil without sections or if a closure names them.
    public let sectionNameKeyPath: String?
    /// The name for sharing results with controllers of an equal request; see
    /// ``PersistentStoreCoordinator/deleteFetchedResultsCache(withName:)``.
    public let cacheName: String?
    /// The delegate that is notified of changes. A ``FetchedResultsSnapshotDelegate`` receives
    /// snapshots, a ``FetchedResultsDifferenceDelegate`` receives differences.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)? {
        didSet {
            // Cast once, because a cast takes longer than most changes of a list.
            isToldOfSnapshots = delegate is any FetchedResultsSnapshotDelegate<Object>
            isToldOfDifferences = delegate is any FetchedResultsDifferenceDelegate<Object>
            ignored = []
            if delegate != nil { list?.catchUp() }
        }
    }

    /// Whether updates are computed off the owner, which then only applies them. Use it for very
    /// long lists of the main actor.
    ///
    /// Results are then updated a moment later, and not within
    /// ``ManagedObjectContext/processPendingChanges()`` or a save. Results with sections named by a
    /// closure are always updated at once, and so are results of a context without an owner.
    public var computesChangesOffOwner = false {
        didSet { list?.computesOffOwner = computesChangesOffOwner }
    }

    private var isToldOfSnapshots = false
    private var isToldOfDifferences = false
    private let sectionNamer: ((ManagedObject) -> String)?
    private(set) var list: TrackedList?
    /// The number of fetches that began, and which of them is shown.
    private var fetches = (begun: 0, shown: 0)
    private let listeners = NotificationHub<FetchedResultsEvent>(missed: .missed)
    private var observers: [ResultsObserver] = []
    /// The difference that the last update made.
    private var lastDifference = UpdateDifference.none
    /// The single changes that the delegate leaves to their default implementations.
    private var ignored: SingleChanges = []

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - fetchRequest: A request with a sort descriptor.
    ///   - managedObjectContext: The context of the objects.
    ///   - sectionNameKeyPath: The attribute, reached over to-ones, whose values name the sections,
    ///     such as `"region.name"`. The request must sort by it first.
    ///   - cacheName: A name for sharing results with controllers of an equal request; see
    ///     ``cacheName``.
    public init(
        fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
        sectionNameKeyPath: String? = nil, cacheName: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        sectionNamer = nil
    }

    /// Creates a controller with sections named by an attribute, reached over to-ones.
    ///
    /// - Parameters:
    ///   - fetchRequest: A request whose first sort descriptor is this attribute.
    ///   - managedObjectContext: The context of the objects.
    ///   - cacheName: A name for sharing results with controllers of an equal request; see
    ///     ``cacheName``.
    ///   - path: The attribute, such as `{ $0.region.name }`.
    public convenience init<Value: PredicateValue>(
        fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
        cacheName: String? = nil, sectionedBy path: (EntityPath<Object>) -> AttributePath<Value>
    ) {
        let names = FetchSortDescriptor(Object.self, path).keyPath
        self.init(
            fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
            sectionNameKeyPath: names.joined(separator: "."), cacheName: cacheName)
    }

    /// Creates a controller with sections named by a closure, such as `{ String($0.name.prefix(1))
    /// }`.
    ///
    /// The request must sort the objects of each section next to each other. Because the closure
    /// needs them, objects are created at the fetch and at each change. Only changes of the
    /// object's own values update its section.
    public init(
        fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
        sectionName: @escaping (Object) -> String
    ) {
        self.fetchRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        sectionNameKeyPath = nil
        cacheName = nil
        sectionNamer = { object in
            // Sound: the classes of all entities of the results were checked.
            sectionName(unsafeDowncast(object, to: Object.self))
        }
    }

    // MARK: - Fetching

    /// Fetches the results and starts to follow changes.
    ///
    /// - Parameter isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``ContextError`` `.invalidRequest` if the request has no order, or the order does
    ///   not keep the objects of each section together. Also the errors of
    ///   ``ManagedObjectContext/fetch(_:isolation:)``, and ``StoreError`` `.unsupported` for an
    ///   order by a count. Earlier results stay after an error.
    public func performFetch(isolation: isolated (any Actor)? = #isolation) throws {
        managedObjectContext.enter(isolation)
        let (made, number) = try makeList()
        try made.fetch()
        show(made, number)
    }

    /// Fetches the results without blocking the owner, and starts to follow changes. Earlier
    /// results stay until then. Of several fetches at once, the results of the last are shown.
    ///
    /// - Parameter isolation: The isolation that the call runs in; leave it out.
    /// - Throws: `CancellationError` if the task was cancelled, or the errors of
    ///   ``performFetch(isolation:)``. ``ContextError`` `.invalidRequest` if a closure names the
    ///   sections, because it needs the objects.
    public func performFetchOffOwner(isolation: isolated (any Actor)? = #isolation) async throws {
        managedObjectContext.enter(isolation)
        if sectionNamer != nil {
            throw ContextError(
                .invalidRequest,
                "A closure names the sections of the results, which needs the objects. Name them by a key path, or "
                    + "call performFetch().")
        }
        let (made, number) = try makeList()
        try await made.fetchOffOwner(isolation: isolation)
        show(made, number)
    }

    /// Replaces the results by those of a fetch, unless those of a later one are shown.
    private func show(_ made: TrackedList, _ number: Int) {
        if number < fetches.shown { return }
        fetches.shown = number
        made.computesOffOwner = computesChangesOffOwner
        lastDifference = .none
        for observer in observers { observer.willChange() }
        // The old list may be notifying of a change now.
        list?.end()
        list = made
        if listeners.isHeard, let snapshot { listeners.post(.fetched(snapshot)) }
        for observer in observers { observer.didChange(nil) }
    }

    private func makeList() throws -> (TrackedList, number: Int) {
        let request = ErasedFetchRequest(fetchRequest)
        let path = sectionNameKeyPath.map { $0.keyPathNames }
        try check(request, path)
        let made = TrackedList(
            request, sectionPath: path, sectionNamer: sectionNamer,
            cacheName: cacheName.map { StoredText($0) },
            in: managedObjectContext,
            follower: ListFollower(
                isThere: { [weak self] in self?.isFollowed ?? false },
                wantsChanges: { [weak self] in self?.wantsSingleChanges ?? false },
                tell: { [weak self] in self?.tell($0) }))
        fetches.begun += 1
        return (made, fetches.begun)
    }

    private func check(_ request: ErasedFetchRequest, _ path: [String]?) throws {
        let model = managedObjectContext.persistentStoreCoordinator.managedObjectModel
        let entity = try request.entity(in: model)
        try request.checkClasses(of: entity, in: model)
        let order = request.query.sortDescriptors
        guard let first = order.first else {
            throw ContextError(
                .invalidRequest,
                "Results of \(entity.name) need an order. Add a sort descriptor to the fetch request."
            )
        }
        guard let path else { return }
        let leading = order.prefix { $0.keyPath == path }
        guard leading.contains(where: { $0.comparison == .standard }),
            SectionKey(path, of: entity, in: model) != nil
        else {
            throw ContextError(sectionsBy: path, of: entity, sortedBy: first)
        }
    }

    private var isFollowed: Bool {
        delegate != nil || listeners.isHeard || observers.contains { $0.isThere() }
    }

    // MARK: - Results

    private var content: ListContent? { list?.content }

    private var handle: ContextHandle { managedObjectContext.main.handle }

    /// The objects, in order; nil before ``performFetch(isolation:)``.
    public var fetchedObjects: FetchedObjects<Object>? {
        content.map { FetchedObjects(content: $0, range: 0..<$0.count, handle: handle) }
    }

    /// The sections, in order; nil before ``performFetch(isolation:)``. Results without sections
    /// have one section without a name. The sections are created at each call, so keep the array if
    /// you need it again.
    public var sections: [FetchedResultsSection<Object>]? {
        guard let content else { return nil }
        return (0..<content.shownSections.count).map { section($0, of: content) }
    }

    private func section(_ number: Int, of content: ListContent) -> FetchedResultsSection<Object> {
        let name = content.shownSections.names[number].string
        return FetchedResultsSection(
            name: name, indexTitle: sectionIndexTitle(forSectionName: name),
            objects: FetchedObjects(
                content: content, range: content.shownSections.rows(of: number), handle: handle))
    }

    /// Returns the object at an index path, which must exist.
    public func object(at indexPath: FetchedResultsIndexPath) -> Object {
        guard let content, let position = content.position(of: indexPath) else {
            fatalError(
                "Duramen: the results have no object at \(indexPath). Ask the sections how many there are."
            )
        }
        return FetchedObjects(content: content, range: 0..<content.count, handle: handle)[position]
    }

    /// Returns the index path of an object; nil if it is not among the results.
    ///
    /// - Complexity: O(log *n*) comparisons.
    public func indexPath(for object: Object) -> FetchedResultsIndexPath? {
        indexPath(for: object.objectID)
    }

    /// Returns the index path of the object with an ID; nil if it is not among the results.
    public func indexPath(for objectID: ManagedObjectID) -> FetchedResultsIndexPath? {
        list?.path(of: managedObjectContext.main.currentID(of: objectID))
    }

    /// The present results as a sendable value; nil before ``performFetch(isolation:)``.
    public var snapshot: FetchedResultsSnapshot? {
        content.map { FetchedResultsSnapshot(content: $0, reloadedItemIdentifiers: reloaded) }
    }

    /// The objects that the last update changed in place.
    private var reloaded: [ManagedObjectID] {
        let difference = lastDifference.difference
        lastDifference = .known(difference)
        return difference.items.filter { $0.kind == .update }.map(\.id)
    }

    /// The number of row comparisons since ``performFetch(isolation:)``. It measures the cost of
    /// updates independently of the machine.
    public var comparisonCount: Int { list?.comparisonCount ?? 0 }

    // MARK: - Index

    /// The titles for an index of the sections, once for neighbouring sections with the same title.
    public var sectionIndexTitles: [String] {
        var titles: [StoredText] = []
        for name in content?.shownSections.names ?? [] {
            guard let title = sectionIndexTitle(forSectionName: name.string) else { continue }
            if titles.last != StoredText(title) { titles.append(StoredText(title)) }
        }
        return titles.map(\.string)
    }

    /// Returns the title of a section in an index. The delegate may choose another one.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        guard let delegate else { return Self.defaultIndexTitle(of: name) }
        return delegate.controller(self, sectionIndexTitleForSectionName: name)
    }

    static func defaultIndexTitle(of name: String) -> String? {
        name.first.map { $0.uppercased() }
    }

    /// Returns the first section with a title of the index.
    ///
    /// - Parameters:
    ///   - title: One of ``sectionIndexTitles``.
    ///   - index: The position of the title there.
    /// - Throws: ``ContextError`` `.invalidRequest` if the title is not at this position.
    public func section(forSectionIndexTitle title: String, at index: Int) throws -> Int {
        var offset = -1
        var last: StoredText?
        for (number, name) in (content?.shownSections.names ?? []).enumerated() {
            guard let own = sectionIndexTitle(forSectionName: name.string) else { continue }
            let text = StoredText(own)
            if text != last { offset += 1 }
            last = text
            if offset == index, text == StoredText(title) { return number }
        }
        throw ContextError(
            .invalidRequest,
            "The index of the sections has no title '\(title)' at \(index). Take it from sectionIndexTitles."
        )
    }

    // MARK: - Notifying

    /// Returns a listener to the events of the results, which can be awaited from any isolation.
    ///
    /// If the results were fetched already, the first event has the present results. See
    /// ``Notifications`` for slow listeners.
    public func events() -> Notifications<FetchedResultsEvent> {
        let events = listeners.listen()
        if let snapshot { events.channel.post(.fetched(snapshot)) }
        list?.catchUp()
        return events
    }

    /// Adds an observer of the results.
    func observe(_ observer: ResultsObserver) {
        observers.removeAll { !$0.isThere() }
        observers.append(observer)
        list?.catchUp()
    }

    private func tell(_ event: TrackedList.Event) {
        switch event {
        case .willChange:
            if tellsChanges { delegate?.controllerWillChangeContent(self) }
            for observer in observers { observer.willChange() }
            // It may share rows with the list, which would then be copied for the update.
            lastDifference = .none
        case .didChange(let difference): tell(difference)
        case .reset:
            for observer in observers { observer.willChange() }
            delegate?.controllerDidReset(self)
            listeners.post(.reset)
            for observer in observers { observer.didChange(nil) }
        case .failed(let error):
            delegate?.controller(self, didFailWith: error)
            listeners.post(.failed(error))
            for observer in observers { observer.didChange(error) }
        }
    }

    private func tell(_ difference: UpdateDifference) {
        lastDifference = difference
        if wantsSingleChanges {
            let known = difference.difference
            lastDifference = .known(known)
            let changes = FetchedResultsChanges(known)
            if listeners.isHeard, let snapshot { listeners.post(.changed(snapshot, changes)) }
            if let delegate { tell(delegate, changes) }
        } else {
            delegate?.controllerDidChangeContent(self)
        }
        for observer in observers { observer.didChange(nil) }
    }

    /// Whether somebody receives the changes of single objects.
    private var wantsSingleChanges: Bool {
        if listeners.isHeard { return true }
        guard delegate != nil else { return false }
        if isToldOfSnapshots || isToldOfDifferences { return true }
        return !ignored.contains(.object) || hasSections && !ignored.contains(.section)
    }

    /// Records that a delegate has only the default implementation for a kind of single changes.
    func ignoreChanges(
        _ kind: SingleChanges, of delegate: some FetchedResultsControllerDelegate<Object>
    ) {
        if self.delegate === delegate { ignored.insert(kind) }
    }

    /// Whether the delegate is notified of single changes.
    private var tellsChanges: Bool {
        !isToldOfSnapshots && (!isToldOfDifferences || hasSections)
    }

    private var hasSections: Bool { sectionNameKeyPath != nil || sectionNamer != nil }

    private func tell(
        _ delegate: any FetchedResultsControllerDelegate<Object>, _ changes: FetchedResultsChanges
    ) {
        if isToldOfSnapshots {
            let delegate = delegate as? any FetchedResultsSnapshotDelegate<Object>
            if let snapshot { delegate?.controller(self, didChangeContentWith: snapshot) }
            return
        }
        if isToldOfDifferences, !hasSections, let difference = changes.difference {
            let delegate = delegate as? any FetchedResultsDifferenceDelegate<Object>
            delegate?.controller(self, didChangeContentWith: difference)
            return
        }
        guard let content, let list else { return delegate.controllerDidChangeContent(self) }
        for change in changes.sections where self.list === list {
            let section =
                change.kind == .insert
                ? section(change.index, of: content)
                : FetchedResultsSection(
                    name: change.name, indexTitle: sectionIndexTitle(forSectionName: change.name),
                    objects: FetchedObjects(content: content, range: 0..<0, handle: handle))
            delegate.controller(
                self, didChange: section, atSectionIndex: change.index, for: change.kind)
        }
        // A notified delegate may fetch again.
        for change in changes.objects where self.list === list && !ignored.contains(.object) {
            // Listed objects are created from their rows, so that they need no loading later.
            let offset = change.newIndexPath.flatMap(content.position)
            let object =
                offset.map { content.object(of: content[$0], in: handle) }
                ?? managedObjectContext.object(with: change.objectID)
            delegate.controller(
                // Sound: the classes of all entities of the results were checked.
                self, didChange: unsafeDowncast(object, to: Object.self), at: change.indexPath,
                for: change.kind, newIndexPath: change.newIndexPath)
        }
        delegate.controllerDidChangeContent(self)
    }
}

@available(
    *, unavailable,
    message: "results belong to their context; take a snapshot, or listen to events()"
)
extension FetchedResultsController: Sendable {}
