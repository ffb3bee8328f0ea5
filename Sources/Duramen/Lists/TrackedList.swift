import DuramenModel
import DuramenQuery
import DuramenStore

/// A live list in its context: collects changes of the context and updates the rows.
final class TrackedList {
    /// An event of the list.
    enum Event {
        /// The list is about to change and still has its old content.
        case willChange
        case didChange(UpdateDifference)
        /// The list is empty, because the context was reset or lost the list's store.
        case reset
        /// The update failed. The list is unchanged, and is loaded again at the next update.
        case failed(any Error)
    }

    private enum Step {
        case update(ListUpdate)
        case reset
    }

    private let request: ErasedFetchRequest
    private let sectionPath: [String]?
    private let sectionNamer: ((ManagedObject) -> String)?
    /// The cache name; nil for none.
    private let cacheName: StoredText?
    private let handle: ContextHandle
    private let follower: ListFollower

    private var parts: [ContextPart] = []
    private var dependencies: [ListDependencies] = []
    private var list: LiveList?
    /// Grows when the list is fetched or discarded.
    private var readCount = 0
    private var steps: [Step] = []
    private var isUpdating = false
    /// Whether updates are computed off the owner, which only applies them.
    var computesOffOwner = false
    /// Whether an update is being computed off the owner.
    private var isComputing = false
    /// Whether changes were missed, so that the whole list must be loaded again.
    private var isBehind = false
    /// The ``ContextLists/time`` of the last changes taken from the context.
    private var takenTime = -1
    /// With fewer changes of others, the list is never loaded again because of their number.
    var leastForLoading = 64
    /// The objects that the condition names.
    private let namedIDs: [ManagedObjectID]
    /// The IDs of these objects at the last query.
    private var askedIDs: [ManagedObjectID] = []
    /// The temporary IDs of listed objects.
    private var temporaryIDs: Set<ManagedObjectID> = []

    init(
        _ request: ErasedFetchRequest, sectionPath: [String]?,
        sectionNamer: ((ManagedObject) -> String)?, cacheName: StoredText?,
        in context: ManagedObjectContext, follower: ListFollower
    ) {
        self.request = request
        namedIDs = request.query.predicate?.objectIDs ?? []
        self.sectionPath = sectionPath
        self.sectionNamer = sectionNamer
        self.cacheName = cacheName
        handle = context.main.handle
        self.follower = follower
    }

    /// The content of the list; nil before it was fetched.
    var content: ListContent? { list?.content }

    /// The number of row comparisons that keeping the order has taken.
    var comparisonCount: Int { list?.comparisonCount ?? 0 }

    /// Returns the index path of an object; nil if it is not shown.
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

    // MARK: - Fetching

    /// Fetches the list.
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

    /// Fetches the list without blocking the owner.
    func fetchOffOwner(isolation: isolated (any Actor)?) async throws {
        guard let context else { return }
        try await context.beginOffOwner(isolation)
        begin(in: context)
        let flag = CancellationFlag(following: request.query.cancellation)
        let queries = try queries(in: context, cancelledBy: flag)
        // Changes during the fetch are applied afterwards.
        isBehind = false
        let cache = cache(of: context)
        let list = try await context.cancelling(flag, isolation) {
            try cache.list(queries) { try $0.list(names: nil) }
        }
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
        collectTemporaryIDs(of: list)
        self.list?.time = takenTime
    }

    /// Ends the list, because another one replaces it.
    func end() {
        list = nil
        steps = []
        readCount += 1
    }

    /// Returns the present queries to the stores.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - flag: Cancels the work when raised.
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
        // The parts are those of the last query.
        return { rows in
            rows.map { StoredText(sectionNamer(self.parts[$0.part].listedObject(of: $0.row))) }
        }
    }

    // MARK: - Following

    /// Schedules a complete reload if the list missed changes.
    func catchUp() {
        guard isBehind, list != nil, let context else { return }
        steps.append(.update(update(changes: parts.map { _ in ListChanges() }, readsAll: true)))
        _ = context.ensureEvents()
        context.main.scheduleTelling()
    }

    /// Records changes of the context.
    func take(
        _ noted: PendingListChanges, _ changed: [ManagedObject: ContextEvents.Before],
        _ refreshed: Set<ManagedObject>
    ) {
        guard list != nil, follower.isThere() else {
            isBehind = true
            return
        }
        takenTime = context?.events?.lists.time ?? -1
        if noted.isReset || parts.contains(where: \.isStoreRemoved) {
            steps.append(.reset)
            return
        }
        let showsChanges = request.includesPendingChanges
        let loadsAgain = isFasterLoadedAgain(after: noted)
        var noted = noted
        if loadsAgain { noted.merged = [] }
        var changes = parts.map {
            $0.listChanges(noted, changed, refreshed, showsChanges: showsChanges)
        }
        for id in temporaryIDs where context?.main.currentID(of: id) != id {
            temporaryIDs.remove(id)
            for part in changes.indices { changes[part].add(.init(state: .gone), of: id) }
        }
        let readsAll = noted.isEverything || isBehind || namesOthers || loadsAgain
        if !readsAll, !noted.isUnknownSave, changes.allSatisfy(\.isEmpty) { return takeTime() }
        var update = update(changes: changes, readsAll: readsAll)
        update.comparesVersions = noted.isUnknownSave
        steps.append(.update(update))
    }

    /// Whether others saved so much that loading the whole list takes less time than finding the
    /// place of each row. Not for lists with a condition or a limit, which may be a small part of
    /// what there is to search.
    private func isFasterLoadedAgain(after noted: PendingListChanges) -> Bool {
        guard let list, list.isComplete, request.query.predicate == nil, sectionNamer == nil,
            dependencies.allSatisfy(\.isLocal)
        else { return false }
        let changed = noted.merged.reduce(0) { sum, merged in
            let part = list.content.parts.first { $0.handle == merged.part.handle.store }
            return sum + (part?.changeCount(of: merged.changes) ?? 0)
        }
        if changed < leastForLoading { return false }
        // Finding the place of a row takes as long as loading this many. If somebody receives
        // single changes, these must be found in the loaded list, too.
        let loadedMeanwhile = follower.wantsChanges() ? 2 : 12
        return changed * loadedMeanwhile >= list.content.rows.count
    }

    private func update(changes: [ListChanges], readsAll: Bool) -> ListUpdate {
        ListUpdate(
            dependencies: dependencies, changes: changes, stores: parts.map(\.handle.store),
            generations: parts.map(\.topPart.ledger.mergedGeneration),
            readsAll: readsAll)
    }

    /// Whether the condition names objects by outdated IDs.
    private var namesOthers: Bool {
        guard !namedIDs.isEmpty, let context else { return false }
        return namedIDs.map(context.answeredID) != askedIDs
    }

    /// Records that the rows match the objects, unless updates are pending.
    private func takeTime() {
        if steps.isEmpty, !isComputing, !isBehind { list?.time = takenTime }
    }

    /// Updates the list and reports the changes.
    func update() {
        // A notified observer may make the next change.
        if isUpdating || isComputing { return }
        isUpdating = true
        defer { isUpdating = false }
        while !steps.isEmpty, !isComputing {
            switch steps.removeFirst() {
            case .update(let update): run(update)
            case .reset:
                list = nil
                readCount += 1
                follower.tell(.reset)
            }
        }
    }

    private func run(_ update: ListUpdate) {
        guard list != nil, let context else { return }
        var update = update
        // An earlier update may have failed.
        update.readsAll = update.readsAll || isBehind
        isBehind = false
        if computesOffOwner, sectionNamer == nil, let owner = context.main.inbox.owner {
            return compute(update, for: owner, in: context)
        }
        do {
            // The list stays in place, because a copy would be a second owner of all storage that
            // changes.
            let outcome = try list.map { list in
                let asking = { try self.ask(context) }
                return try update.run(on: list, asking: asking, names: names)
            }
            if let outcome { finish(outcome) }
        } catch {
            fail(error)
        }
    }

    /// Computes an update off the owner. Changes during the computation wait for it.
    private func compute(
        _ update: ListUpdate, for owner: any Actor, in context: ManagedObjectContext
    ) {
        // The copy is released before the list is changed here, so that the list has one owner.
        let copy = Locked(list)
        let wantsChanges = follower.wantsChanges()
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
                            let outcome = try update.run(on: list) { queries }
                            return wantsChanges ? outcome.withKnownDifference : outcome
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
        collectTemporaryIDs(of: outcome)
        if outcome.difference.isEmpty { return apply(outcome) }
        let known = readCount
        follower.tell(.willChange)
        // A notified observer may have fetched the list again; then nothing of this update remains
        // to be reported.
        if readCount != known { return follower.tell(.didChange(.none)) }
        apply(outcome)
        follower.tell(.didChange(outcome.difference))
    }

    private func fail(_ error: any Error) {
        isBehind = true
        follower.tell(.failed(error))
    }

    private func apply(_ outcome: ListUpdate.Outcome) {
        switch outcome {
        case .update(let update): list?.apply(update)
        case .list(let new, _): list = new
        }
        takeTime()
    }

    private func collectTemporaryIDs(of outcome: ListUpdate.Outcome) {
        switch outcome {
        case .update(let update):
            for item in update.difference.items where item.id.isTemporaryID && item.new != nil {
                temporaryIDs.insert(item.id)
            }
        case .list(let list, _): collectTemporaryIDs(of: list)
        }
    }

    private func collectTemporaryIDs(of list: LiveList) {
        temporaryIDs = []
        guard context?.hasUnnamedObjects == true else { return }
        list.content.rows.forEach { row in
            if row.key < 0 { temporaryIDs.insert(list.content.id(of: row)) }
        }
    }
}

/// A reference to a list for a task on another thread.
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
