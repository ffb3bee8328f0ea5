import Dispatch
import DuramenModel
import DuramenStore

/// One store of a coordinator, with the contexts to notify of its saves, and saves of unknown
/// outcome.
final class StoreConnection: Sendable {
    /// The store's handle in this process; it stays valid when the store is reopened.
    let handle: StoreHandle
    /// The model that the store was opened with; if the store has a configuration, only its
    /// entities.
    let model: ManagedObjectModel
    /// The row of a new object of each entity, shared by all contexts.
    let templates: [Row]
    /// The description that the store was opened with; nil if the application opened it.
    let description: PersistentStoreDescription?

    private struct State {
        var store: any PersistentStore
        /// Whether a commit was interrupted, so that the store must be reopened before it writes
        /// again.
        var mustReopen = false
        /// Whether the store was removed from the coordinator.
        var isRemoved = false
        /// Instances of the store from before it was reopened. Contexts may still read from them.
        var retired: [WeakStore] = []
        var unknownSaves = UnknownSaves()
        /// The state of following other writers; nil while this is off.
        var following: StoreFollowing?
    }

    private struct WeakStore {
        weak var store: (any PersistentStore)?
    }

    private let state: Locked<State>
    /// The recorded model migrations; loaded when a URI first needs an earlier entity name.
    private let migrations = Locked<[StoreMigrationRecord]?>(nil)
    /// The contexts to notify of saves.
    let subscribers = Subscribers()
    private let order = LongTurn()
    /// The saves that wait to be written together; nil if the store writes one save at a time.
    let saveQueue: SaveQueue?
    /// The queue on which other writers are detected.
    private let noticing = DispatchQueue(label: "duramen.remote-changes", qos: .userInitiated)

    init(_ store: any PersistentStore, description: PersistentStoreDescription?) {
        handle = store.handle
        model = store.model
        templates = model.entities.map(EntityPlan.template)
        self.description = description
        state = Locked(State(store: store))
        let savesInGroups =
            store.capabilities.contains(.groupSaves) && store is any GroupSavingStore
        saveQueue = savesInGroups ? SaveQueue() : nil
    }

    /// The store. After an interrupted commit it is a new instance with the same identity.
    var store: any PersistentStore { state.withLock { $0.store } }

    /// Whether the store was not opened for reading only.
    var isWritable: Bool { description?.isReadOnly != true }

    /// The name of the store in messages.
    var name: String {
        guard let description else { return handle.uuid?.uuidString ?? "store" }
        return description.location.isEmpty ? description.type.name : description.location
    }

    /// Closes the store.
    func close() throws(StoreError) {
        let (retired, store) = state.withLock { state in
            state.following = nil
            return (state.retired.compactMap(\.store), state.store)
        }
        for store in retired { try store.close() }
        try store.close()
    }

    /// Closes the store after the save in progress, and wakes its contexts.
    func remove() throws(StoreError) {
        order.take { state.withLock { $0.isRemoved = true } }
        subscribers.scheduleEndOfUnit()
        try close()
    }

    /// Sets the application's metadata entries; null removes an entry.
    func setMetadata(_ entries: [String: StoredValue]) throws(StoreError) {
        try withWritableStore { store throws(StoreError) in
            _ = try save(ChangeSet(metadata: entries), to: store)
        }
    }

    /// Returns the entity that had a name in an earlier version of the model; nil if there is none.
    func entity(calledBefore name: String) -> Entity? {
        let known = migrations.withLock { known in
            if known == nil { known = try? store.metadata().migrations }
            return known
        }
        return known?.presentName(ofEntity: name).flatMap { model.entity(named: $0) }
    }

    // MARK: - Writing

    /// Runs a save and its notifications while no other save runs, so that contexts are notified of
    /// saves in the store's order. Most stores write one save at a time anyway; others write those
    /// that wait together, see ``SaveQueue``.
    ///
    /// If an earlier commit was interrupted, the store is reopened first. Saves of unknown outcome
    /// are resolved first too.
    func withWritableStore<Result: Sendable>(
        _ body: (any PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try order.take { () throws(StoreError) in
            let store = try writableStore()
            try resolveUnknownSaves(in: store)
            return try body(store)
        }
    }

    /// Runs a closure with several stores ready to be written, while no other save runs.
    ///
    /// - Parameters:
    ///   - connections: The remaining stores, in the container's order, so that callers never wait
    ///     in a circle.
    ///   - stores: The stores that are ready so far.
    ///   - body: The work.
    static func withWritableStores<Result: Sendable>(
        _ connections: ArraySlice<StoreConnection>, _ stores: [any PersistentStore] = [],
        _ body: ([any PersistentStore]) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let next = connections.first else { return try body(stores) }
        return try next.withWritableStore { store throws(StoreError) in
            try withWritableStores(connections.dropFirst(), stores + [store], body)
        }
    }

    /// Runs a write other than a save while no save runs. If its outcome is unknown, the store is
    /// reopened before the next write.
    func write<Result: Sendable>(
        _ body: (any PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withWritableStore { store throws(StoreError) in
            try requiringReopening { () throws(StoreError) in try body(store) }
        }
    }

    /// Runs a write. If its outcome is unknown, the store is reopened before the next write.
    @discardableResult
    func requiringReopening<Result>(
        _ write: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) { return try write() } catch {
            if error.code == .unknownOutcome { requireReopening() }
            throw error
        }
    }

    /// Allocates keys of the store, by the index of their root entity.
    func allocateKeys(_ counts: [Int]) throws(StoreError) -> [Range<Int64>] {
        var keys: [Range<Int64>] = []
        for (root, count) in counts.enumerated() {
            keys.append(
                count == 0 ? 0..<0 : try allocateKeys(count, for: EntityID(index: root)))
        }
        return keys
    }

    /// Allocates keys of the store.
    ///
    /// A store that groups saves does not wait for a commit. It is asked at once, unless it must be
    /// reopened or a save of unknown outcome must be resolved. Any other store waits for its
    /// writer, and may spin meanwhile. So this waits first for the save in progress, asleep.
    func allocateKeys(_ count: Int, for entity: EntityID) throws(StoreError) -> Range<Int64> {
        if saveQueue != nil, let store = storeWithoutTrouble {
            return try allocateKeys(count, for: entity, in: store)
        }
        return try withWritableStore { store throws(StoreError) in
            try allocateKeys(count, for: entity, in: store)
        }
    }

    private func allocateKeys(
        _ count: Int, for entity: EntityID, in store: any PersistentStore
    ) throws(StoreError) -> Range<Int64> {
        do throws(StoreError) {
            return try requiringReopening { () throws(StoreError) in
                try store.allocateKeys(count, for: entity)
            }
        } catch {
            guard error.code == .unknownOutcome else { throw error }
            // Losing some keys is harmless, and nothing else was written.
            throw StoreError(.io, error.message, detail: error.detail)
        }
    }

    /// The store; nil if there is something to do before it is written.
    private var storeWithoutTrouble: (any PersistentStore)? {
        state.withLock { state in
            let isReady =
                !state.mustReopen && !state.isRemoved && state.unknownSaves.next == nil
            return isReady ? state.store : nil
        }
    }

    /// Saves changes and records the outcome.
    func save(
        _ changes: ChangeSet, to store: any PersistentStore
    ) throws(StoreError) -> SaveOutcome {
        let result = Result { () throws(StoreError) in try store.save(changes) }
        recordOutcome(result, store)
        return try result.get()
    }

    /// Records the state that a save created. If the outcome is unknown, requires the store to be
    /// reopened.
    func recordOutcome(
        _ result: Result<SaveOutcome, StoreError>, _ store: any PersistentStore
    ) {
        switch result {
        case .success(.saved(let receipt)): recordOwn(receipt.generation, store)
        case .success(.conflicted): break
        case .failure(let error): if error.code == .unknownOutcome { requireReopening() }
        }
    }

    /// Records a save that threw `.unknownOutcome`, until its outcome is resolved.
    func remember(_ save: UnknownSave, from sender: Inbox) {
        state.withLock { $0.unknownSaves.add(save, from: sender) }
    }

    /// Whether a save of unknown outcome was committed. Call this within `withWritableStore`.
    func isCommitted(_ save: UnknownSave) -> Bool {
        state.withLock { $0.unknownSaves.isCommitted(save.identifier) }
    }

    /// Removes the record of a save's outcome.
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
                // It is not known which other objects it changed through derived attributes.
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
        // A store that is not durable would be empty after reopening.
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

    /// Requires the store to be reopened before the next commit, because a commit was interrupted.
    func requireReopening() { state.withLock { $0.mustReopen = true } }

    /// Notifies all contexts except the sender of a save.
    ///
    /// - Parameters:
    ///   - changes: The changes; nil if anything may have changed.
    ///   - sender: The inbox of the context that saved.
    func publish(_ changes: SavedChanges?, from sender: Inbox?) {
        subscribers.post(changes, from: sender, model)
    }

    // MARK: - Other writers

    /// Starts to detect other writers, and reports all changes to listeners.
    ///
    /// - Parameters:
    ///   - wanted: Returns the setting; called while no save runs.
    ///   - listeners: The listeners to notify.
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
                // If the store cannot be read now, anything may have changed later.
                let seen = (try? store.snapshot().generation) ?? StoreGeneration(rawValue: .min)
                state.withLock {
                    $0.following = StoreFollowing(
                        listeners: listeners, seen: seen, isMerging: following == .merging)
                }
                observe(store)
            }
            // Contexts were not notified of earlier changes by other writers.
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

    /// Reports changes that other writers have made since the last check.
    private func lookForOthers() {
        order.take {
            if state.withLock({ $0.following == nil }) { return }
            // If the store cannot be read now, the next notification repeats the check.
            guard let store = try? writableStore(), let newest = try? store.snapshot().generation
            else { return }
            try? resolveUnknownSaves(in: store)
            tellOfOthers(through: newest, store)
        }
    }

    /// Records a state that this coordinator wrote, after reporting earlier states of other
    /// writers.
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
