import DuramenModel
import DuramenQuery
import DuramenStore

/// A live list in its context: collects what happens there, and keeps the rows up to date.
final class TrackedList {
    /// What happens to the list.
    enum Event {
        /// It is about to change; what it holds is what it was.
        case willChange
        case didChange(ListDifference)
        /// It was read, from the start.
        case fetched
        /// It has nothing any more, because the context was reset or lost the list's store.
        case reset
        /// It could not be brought up to date. It stays as it was, and is read anew the next time.
        case failed(any Error)
    }

    private enum Step {
        case update(ListUpdate)
        case reset
    }

    private let request: ErasedFetchRequest
    private let sectionPath: [String]?
    private let sectionNamer: ((ManagedObject) -> String)?
    /// The name under which the list is kept for others; nil for none.
    private let cacheName: StoredText?
    private let handle: ContextHandle
    private let tell: (Event) -> Void
    /// Whether somebody wants to know what changes, asked whenever something may have.
    private let isFollowed: () -> Bool

    private var parts: [ContextPart] = []
    private var dependencies: [ListDependencies] = []
    private var list: LiveList?
    /// Grows when the list is read, or is gone.
    private var readCount = 0
    private var steps: [Step] = []
    private var isUpdating = false
    /// Whether changes are worked out off the owner, which only applies them.
    var computesOffOwner = false
    /// Whether a change is being worked out there.
    private var isComputing = false
    /// Whether changes were missed, so that the list is to be read anew.
    private var isBehind = false
    /// When what was taken last was as it is in the context.
    private var takenTime = -1
    /// The objects that the condition names.
    private let namedIDs: [ManagedObjectID]
    /// The IDs that these had when the list was asked for last.
    private var askedIDs: [ManagedObjectID] = []
    /// Listed objects that have no permanent IDs yet.
    private var temporaryIDs: Set<ManagedObjectID> = []

    init(
        _ request: ErasedFetchRequest, sectionPath: [String]?,
        sectionNamer: ((ManagedObject) -> String)?, cacheName: StoredText?,
        in context: ManagedObjectContext, isFollowed: @escaping () -> Bool,
        tell: @escaping (Event) -> Void
    ) {
        self.request = request
        namedIDs = request.query.predicate?.objectIDs ?? []
        self.sectionPath = sectionPath
        self.sectionNamer = sectionNamer
        self.cacheName = cacheName
        handle = context.main.handle
        self.isFollowed = isFollowed
        self.tell = tell
    }

    /// What the list holds; nil before it was read.
    var content: ListContent? { list?.content }

    /// How many comparisons of rows keeping the order has taken.
    var comparisonCount: Int { list?.comparisonCount ?? 0 }

    /// Where an object is shown; nil when it is not.
    func path(of id: ManagedObjectID) -> FetchedResultsIndexPath? {
        guard let list else { return nil }
        for (number, part) in list.content.parts.enumerated()
        where part.lists(id) && (id.isTemporaryID || id.store == part.handle) {
            guard let position = list.position(of: id.key, in: number) else { continue }
            let shown = list.content.shown
            if !shown.contains(position) { return nil }
            return list.content.shownSections.path(of: position - shown.lowerBound)
        }
        return nil
    }

    private var context: ManagedObjectContext? { handle.liveContext }

    // MARK: - Reading

    /// Reads the list.
    func fetch() throws {
        guard let context else { return }
        begin(in: context)
        let queries = try queries(in: context, cancelledBy: request.query.cancellation)
        let list = try cache(of: context).list(queries) { asked in
            countRoundTrip(in: context)
            return try asked.list(names: names)
        }
        take(list, in: context)
    }

    /// Reads the list without the owner waiting for the store.
    func fetchOffOwner(isolation: isolated (any Actor)?) async throws {
        guard let context else { return }
        begin(in: context)
        let queries = try queries(in: context, cancelledBy: request.query.cancellation)
        // What happens meanwhile is done to the list when it is there.
        isBehind = false
        let known = readCount
        let cache = cache(of: context)
        let list = try await offCooperativePool {
            try cache.list(queries) { try $0.list(names: nil) }
        }
        // Another fetch may have taken its place meanwhile.
        if readCount != known { return }
        let isBehind = isBehind
        take(list, in: context)
        if isBehind {
            self.isBehind = true
            catchUp()
        }
    }

    private func begin(in context: ManagedObjectContext) {
        context.noticeStores()
        context.propagateDeletes()
        context.ensureEvents().lists.add(self)
        context.nameNewObjects()
        takenTime = context.ensureEvents().lists.time
    }

    private func take(_ list: LiveList, in context: ManagedObjectContext) {
        self.list = list
        readCount += 1
        steps = []
        isBehind = false
        temporaryIDs = []
        if context.hasUnnamedObjects {
            list.content.rows.forEach { row in
                if row.key < 0 { temporaryIDs.insert(list.content.id(of: row)) }
            }
        }
        self.list?.time = takenTime
        tell(.fetched)
    }

    /// Ends the list: another one takes its place.
    func end() {
        list = nil
        steps = []
        readCount += 1
    }

    /// What the stores are asked now.
    ///
    /// - Parameter flag: Ends the work when it is raised.
    private func queries(
        in context: ManagedObjectContext, cancelledBy flag: CancellationFlag? = nil
    ) throws -> ListQueries {
        try request.checkWindow()
        var unlimited = request
        unlimited.query.offset = 0
        unlimited.query.limit = nil
        askedIDs = namedIDs.map(context.answeredID)
        let fetch = try FetchOfStores(unlimited, in: context)
        parts = fetch.parts
        let queries = try parts.map {
            try $0.queryOffOwner(unlimited, cancelledBy: flag ?? CancellationFlag())
        }
        dependencies = queries.map {
            ListDependencies($0.query.query, sectionedBy: sectionPath, in: $0.store.model)
        }
        return ListQueries(
            byPart: queries, dependencies: dependencies, sectionPath: sectionPath,
            window: ListWindow(offset: request.query.offset, limit: request.query.limit))
    }

    private func cache(of context: ManagedObjectContext) -> ListCache {
        var query = request.query
        query.predicate = context.current(query.predicate)
        return ListCache(
            name: cacheName, query: query, coordinator: context.persistentStoreCoordinator)
    }

    private func ask(_ context: ManagedObjectContext) throws -> ListQueries {
        countRoundTrip(in: context)
        return try queries(in: context)
    }

    private func countRoundTrip(in context: ManagedObjectContext) {
        let entityName = request.entityName ?? request.objectClass.entityName
        context.main.countRoundTrip(RoundTrip(.fetch, entityName))
    }

    private var names: ListSectionNames? {
        guard let sectionNamer else { return nil }
        // The parts are those that were asked last.
        return { rows in
            rows.map { StoredText(sectionNamer(self.parts[$0.part].listedObject(of: $0.row))) }
        }
    }

    // MARK: - Following

    /// Has the list read anew at the next occasion, since it was not followed.
    func catchUp() {
        guard isBehind, list != nil, let context else { return }
        steps.append(.update(update(changes: parts.map { _ in ListChanges() }, readsAll: true)))
        _ = context.ensureEvents()
        context.main.scheduleTelling()
    }

    /// Takes what happened in the context.
    func take(
        _ noted: PendingListChanges, _ changed: [ManagedObject: ContextEvents.Before],
        _ refreshed: Set<ManagedObject>
    ) {
        guard list != nil, isFollowed() else {
            isBehind = true
            return
        }
        takenTime = context?.events?.lists.time ?? -1
        if noted.isReset || parts.contains(where: \.isStoreRemoved) {
            steps.append(.reset)
            return
        }
        let showsChanges = request.includesPendingChanges
        var changes = parts.map {
            $0.listChanges(noted, changed, refreshed, showsChanges: showsChanges)
        }
        for id in temporaryIDs where context?.main.currentID(of: id) != id {
            temporaryIDs.remove(id)
            for part in changes.indices { changes[part].add(.init(state: .gone), of: id) }
        }
        let readsAll = noted.isEverything || isBehind || namesOthers
        if !readsAll, !noted.isUnknownSave, changes.allSatisfy(\.isEmpty) { return takeTime() }
        var update = update(changes: changes, readsAll: readsAll)
        update.comparesVersions = noted.isUnknownSave
        steps.append(.update(update))
    }

    private func update(changes: [ListChanges], readsAll: Bool) -> ListUpdate {
        ListUpdate(
            dependencies: dependencies, changes: changes, stores: parts.map(\.handle.store),
            generations: parts.map(\.topPart.ledger.mergedGeneration),
            readsAll: readsAll)
    }

    /// Whether the condition names objects by IDs that they have no longer.
    private var namesOthers: Bool {
        guard !namedIDs.isEmpty, let context else { return false }
        return namedIDs.map(context.answeredID) != askedIDs
    }

    /// Notes that the rows are what the objects have, unless something is still to be done.
    private func takeTime() {
        if steps.isEmpty, !isComputing, !isBehind { list?.time = takenTime }
    }

    /// Brings the list up to date, and tells what changed.
    func update() {
        // Who is told of a change may make the next.
        if isUpdating || isComputing { return }
        isUpdating = true
        defer { isUpdating = false }
        while !steps.isEmpty, !isComputing {
            switch steps.removeFirst() {
            case .update(let update): run(update)
            case .reset:
                list = nil
                readCount += 1
                tell(.reset)
            }
        }
    }

    private func run(_ update: ListUpdate) {
        guard list != nil, let context else { return }
        var update = update
        // One before it may have failed.
        update.readsAll = update.readsAll || isBehind
        isBehind = false
        if computesOffOwner, sectionNamer == nil, let owner = context.main.inbox.owner {
            return compute(update, for: owner, in: context)
        }
        do {
            // The list is where it is all the time, since a copy would be a second owner of all
            // that changes.
            let outcome = try list.map { list in
                let asking = { try self.ask(context) }
                return try update.run(on: list, asking: asking, names: names)
            }
            if let outcome { finish(outcome) }
        } catch {
            fail(error)
        }
    }

    /// Works a change out elsewhere. What happens meanwhile waits for it.
    private func compute(
        _ update: ListUpdate, for owner: any Actor, in context: ManagedObjectContext
    ) {
        // Taken out where it is needed, so that nobody else has the list when it is changed here.
        let copy = Locked(list)
        let reference = TrackedListReference(self)
        let known = readCount
        do {
            let queries = try queries(in: context)
            isComputing = true
            Task {
                let outcome: Result<ListUpdate.Outcome, any Error>
                do {
                    outcome = .success(
                        try await offCooperativePool {
                            guard let list = copy.withLock({ $0.take() }) else {
                                throw CancellationError()
                            }
                            return try update.run(on: list) { queries }
                        })
                } catch {
                    outcome = .failure(error)
                }
                await reference.finish(outcome, of: known, on: owner)
            }
        } catch {
            fail(error)
        }
    }

    fileprivate func finish(
        _ outcome: Result<ListUpdate.Outcome, any Error>, of known: Int
    ) {
        isComputing = false
        if readCount == known {
            switch outcome {
            case .success(let outcome): finish(outcome)
            case .failure(let error): fail(error)
            }
        }
        update()
    }

    private func finish(_ outcome: ListUpdate.Outcome) {
        collectTemporaryIDs(outcome.difference)
        if outcome.difference.isEmpty { return apply(outcome) }
        let known = readCount
        tell(.willChange)
        // Whoever was told may have read the list anew: nothing of this change is left to tell
        // then.
        if readCount != known { return tell(.didChange(ListDifference())) }
        apply(outcome)
        tell(.didChange(outcome.difference))
    }

    private func fail(_ error: any Error) {
        isBehind = true
        tell(.failed(error))
    }

    private func apply(_ outcome: ListUpdate.Outcome) {
        switch outcome {
        case .update(let update): list?.apply(update)
        case .list(let new, _): list = new
        }
        takeTime()
    }

    private func collectTemporaryIDs(_ difference: ListDifference) {
        for item in difference.items where item.id.isTemporaryID && item.new != nil {
            temporaryIDs.insert(item.id)
        }
    }
}

/// A list that somebody on another thread will want to be told of something.
// Sound: the list is used on the owner of its context only.
private final class TrackedListReference: @unchecked Sendable {
    private weak var list: TrackedList?

    init(_ list: TrackedList) { self.list = list }

    func finish(
        _ outcome: Result<ListUpdate.Outcome, any Error>, of readCount: Int,
        on owner: isolated any Actor
    ) {
        list?.finish(outcome, of: readCount)
    }
}
