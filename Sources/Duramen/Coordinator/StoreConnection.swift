import Dispatch
import DuramenModel
import DuramenStore

/// One store of a coordinator, the contexts that are to hear of its saves, and what became of them.
final class StoreConnection: Sendable {
    /// The store's number in this process, the same after it was opened anew.
    let handle: StoreHandle
    /// The model that the store was opened with: of its configuration, if it has one.
    let model: ManagedObjectModel
    /// By entity, the row of a new object, for all contexts.
    let templates: [Row]
    /// What the store was opened with; nil when somebody else opened it.
    let description: PersistentStoreDescription?

    private struct State {
        var store: any PersistentStore
        /// Whether a commit of the store failed half way, after which it writes nothing more.
        var mustReopen = false
        /// Whether the coordinator has the store no longer.
        var isRemoved = false
        /// Stores that were opened anew since. Contexts may still read from them.
        var retired: [WeakStore] = []
        var unknownSaves = UnknownSaves()
        /// What is known of others who write to the store; nil while nobody wants to know.
        var following: StoreFollowing?
    }

    private struct WeakStore {
        weak var store: (any PersistentStore)?
    }

    private let state: Locked<State>
    /// The changes of the model, once somebody asked for a name of before.
    private let migrations = Locked<[StoreMigrationRecord]?>(nil)
    /// The contexts that are to hear of saves.
    let subscribers = Subscribers()
    private let order = LongTurn()
    /// Where others' writing is noticed.
    private let noticing = DispatchQueue(label: "duramen.remote-changes", qos: .userInitiated)

    init(_ store: any PersistentStore, description: PersistentStoreDescription?) {
        handle = store.handle
        model = store.model
        templates = model.entities.map(EntityPlan.template)
        self.description = description
        state = Locked(State(store: store))
    }

    /// The store. After a commit that failed half way it is another one of the same identity.
    var store: any PersistentStore { state.withLock { $0.store } }

    /// Whether the description lets saves through.
    var isWritable: Bool { description?.isReadOnly != true }

    /// What the store is called in messages.
    var name: String {
        guard let description else { return handle.uuid?.uuidString ?? "store" }
        return description.location.isEmpty ? description.type.name : description.location
    }

    /// Ends the use of the store.
    func close() throws(StoreError) {
        let (retired, store) = state.withLock { state in
            state.following = nil
            return (state.retired.compactMap(\.store), state.store)
        }
        for store in retired { try store.close() }
        try store.close()
    }

    /// Ends the use of the store once no save of it runs, and wakes its contexts.
    func remove() throws(StoreError) {
        order.take { state.withLock { $0.isRemoved = true } }
        subscribers.scheduleEndOfUnit()
        try close()
    }

    /// Sets the application's own metadata entries; null takes one away.
    func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        try withWritableStore { store throws(StoreError) in
            _ = try save(ChangeSet(metadata: entries), to: store)
        }
    }

    /// The entity that had a name in an earlier version of the model; nil for none.
    func entity(calledBefore name: String) -> Entity? {
        let known = migrations.withLock { known in
            if known == nil { known = try? store.metadata().migrations }
            return known
        }
        return known?.presentName(ofEntity: name).flatMap { model.entity(named: $0) }
    }

    // MARK: - Writing

    /// Runs a save and the news of it while no other save runs, so that contexts are told of saves
    /// in the order in which the store took them. Stores write one save at a time anyway.
    ///
    /// A store that writes nothing more is opened again before, and what became of saves of unknown
    /// outcome is found out.
    func withWritableStore<Result: Sendable>(
        _ body: (any PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try order.take { () throws(StoreError) in
            let store = try writableStore()
            try resolveUnknownSaves(in: store)
            return try body(store)
        }
    }

    /// Runs `body` with several stores ready to be written, and no other save meanwhile.
    ///
    /// - Parameter connections: In the order of the container, so that nobody waits in a circle.
    static func withWritableStores<Result: Sendable>(
        _ connections: ArraySlice<StoreConnection>, _ stores: [any PersistentStore] = [],
        _ body: ([any PersistentStore]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let next = connections.first else { return try body(stores) }
        return try next.withWritableStore { store throws(StoreError) in
            try withWritableStores(connections.dropFirst(), stores + [store], body)
        }
    }

    /// Hands out keys of the store, by the index of the root of their entity.
    func allocateKeys(_ counts: [Int]) throws(StoreError) -> [Range<Int64>] {
        var keys: [Range<Int64>] = []
        for (root, count) in counts.enumerated() {
            keys.append(
                count == 0 ? 0..<0 : try allocateKeys(count, for: EntityID(index: root)))
        }
        return keys
    }

    /// Hands out keys of the store.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        try withWritableStore { store throws(StoreError) in
            do throws(StoreError) {
                return try store.allocateKeys(count, for: entity)
            } catch {
                guard error.code == .unknownOutcome else { throw error }
                requireReopening()
                // Keys that may be lost are no loss, and nothing else was to be written.
                throw StoreError(.io, error.message, detail: error.detail)
            }
        }
    }

    /// Saves, and notes when nobody knows what became of it.
    func save(
        _ changes: ChangeSet, to store: any PersistentStore
    ) throws(StoreError) -> SaveOutcome {
        do throws(StoreError) {
            let outcome = try store.save(changes)
            if case .saved(let receipt) = outcome { recordOwn(receipt.generation, store) }
            return outcome
        } catch {
            if error.code == .unknownOutcome { requireReopening() }
            throw error
        }
    }

    /// Keeps a save that threw `.unknownOutcome`, until somebody finds out.
    func remember(_ save: UnknownSave, from sender: Inbox) {
        state.withLock { $0.unknownSaves.add(save, from: sender) }
    }

    /// Whether a save whose outcome was unknown was committed. Ask while the store is writable.
    func isCommitted(_ save: UnknownSave) -> Bool {
        state.withLock { $0.unknownSaves.isCommitted(save.identifier) }
    }

    /// Forgets what became of a save.
    func forget(_ save: UnknownSave) {
        state.withLock { $0.unknownSaves.forget(save.identifier) }
    }

    private func resolveUnknownSaves(in store: any PersistentStore) throws(StoreError) {
        while let (save, sender) = state.withLock({ $0.unknownSaves.next }) {
            let generation = try store.generation(ofSave: save.identifier)
            let isCommitted = generation != nil
            if let generation {
                recordOwn(generation, store)
                publish(try StoredOutcome(of: save, in: store).news, from: sender)
                // Nobody knows any more which objects it changed by what is derived.
                if !model.derivations.isEmpty { publish(nil, from: nil) }
            }
            state.withLock { $0.unknownSaves.resolveNext(isCommitted: isCommitted) }
        }
    }

    private func writableStore() throws(StoreError) -> any PersistentStore {
        let (failed, mustReopen, isRemoved) = state.withLock {
            ($0.store, $0.mustReopen, $0.isRemoved)
        }
        if isRemoved { throw StoreError(.closed, "'\(name)' was removed from its container.") }
        // What ends with its last user would be another store when it is opened again.
        guard mustReopen, let description, failed.capabilities.contains(.durable) else {
            return failed
        }
        let opened = try description.type.open(description, model: model)
        guard opened.handle == failed.handle else {
            try opened.close()
            throw StoreError(
                .storeFileMoved,
                "The file at '\(description.location)' is not the store that was open. Put that store "
                    + "back, or open a new container.")
        }
        state.withLock { state in
            state.store = opened
            state.mustReopen = false
            state.retired.removeAll { $0.store == nil }
            state.retired.append(WeakStore(store: failed))
        }
        if state.withLock({ $0.following != nil }) { observe(opened) }
        return opened
    }

    // MARK: - News

    /// Notes that a commit failed half way, so that the store is opened anew before the next one.
    func requireReopening() { state.withLock { $0.mustReopen = true } }

    /// Tells all contexts but the sender what was saved.
    ///
    /// - Parameter changes: Nil when anything may have changed.
    func publish(_ changes: SavedChanges?, from sender: Inbox?) {
        subscribers.post(changes, from: sender, model)
    }

    // MARK: - Others who write

    /// Notices what others write from now on, and tells listeners of everything.
    ///
    /// - Parameter wanted: How; asked when it is the turn of this one.
    func follow(
        _ wanted: () -> PersistentStoreCoordinator.Following,
        _ listeners: NotificationHub<PersistentStoreRemoteChange>
    ) {
        order.take {
            let following = wanted()
            if following == .off { return }
            let (store, isFollowing, wasMerging) = state.withLock { state in
                defer { state.following?.isMerging = following == .merging }
                return (state.store, state.following != nil, state.following?.isMerging == true)
            }
            if !isFollowing {
                // A store that cannot be read now may have anything once it can.
                let seen = (try? store.snapshot().generation) ?? StoreGeneration(rawValue: .min)
                state.withLock {
                    $0.following = StoreFollowing(
                        listeners: listeners, seen: seen, isMerging: following == .merging)
                }
                observe(store)
            }
            // What others wrote up to that state nobody told.
            if following == .merging, !wasMerging { publish(nil, from: nil) }
        }
    }

    private func observe(_ store: any PersistentStore) {
        var observation = try? store.observing?.observeChanges { [weak self] in
            self?.lookForOthers()
        }
        if observation == nil {
            let timer = DispatchSource.makeTimerSource(queue: noticing)
            timer.schedule(deadline: .now(), repeating: StoreFollowing.pollingInterval)
            timer.setEventHandler { [weak self] in self?.lookForOthers() }
            timer.resume()
            let held = Locked(TimerReference(timer: timer))
            observation = StoreObservation { held.withLock { $0.timer.cancel() } }
        }
        state.withLock { $0.following?.observation = observation }
    }

    // Sound: used under a lock only.
    private struct TimerReference: @unchecked Sendable {
        let timer: any DispatchSourceTimer
    }

    /// Tells of what others have written since somebody looked last.
    private func lookForOthers() {
        order.take {
            if state.withLock({ $0.following == nil }) { return }
            // What cannot be read now is looked at again with the next notice.
            guard let store = try? writableStore(), let newest = try? store.snapshot().generation
            else { return }
            try? resolveUnknownSaves(in: store)
            tellOfOthers(through: newest, store)
        }
    }

    /// Notes a state that was made here, once everybody knows of those that others made before.
    ///
    /// Call it while no other save runs.
    func recordOwn(_ generation: StoreGeneration, _ store: any PersistentStore) {
        guard let following = state.withLock({ $0.following }), generation > following.seen else {
            return
        }
        tellOfOthers(through: StoreGeneration(rawValue: generation.rawValue - 1), store)
        state.withLock { $0.following?.seen = generation }
        post(generation, isOwn: true, following, store)
    }

    private func tellOfOthers(through generation: StoreGeneration, _ store: any PersistentStore) {
        guard let following = state.withLock({ $0.following }), generation > following.seen else {
            return
        }
        if following.isMerging {
            publish(
                StoreFollowing.news(after: following.seen, through: generation, of: store),
                from: nil)
        }
        state.withLock { $0.following?.seen = generation }
        post(generation, isOwn: false, following, store)
    }

    private func post(
        _ generation: StoreGeneration, isOwn: Bool, _ following: StoreFollowing,
        _ store: any PersistentStore
    ) {
        guard following.listeners.isHeard, let uuid = handle.uuid else { return }
        let hasHistory = (try? store.historyTracking().historyExtent()) ?? nil != nil
        following.listeners.post(
            PersistentStoreRemoteChange(
                storeID: uuid, store: handle, location: description?.location ?? "",
                historyToken: hasHistory
                    ? PersistentHistoryToken([uuid: generation.rawValue]) : nil,
                isOwn: isOwn))
    }
}
