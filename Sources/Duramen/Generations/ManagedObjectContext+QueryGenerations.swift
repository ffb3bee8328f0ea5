import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// The state that the context is pinned to; nil if it reads the newest state.
    ///
    /// After you set ``QueryGenerationToken/current``, it stays that token until the next read.
    /// Pass the token to other contexts of the container to show them the same state.
    public var queryGenerationToken: QueryGenerationToken? {
        var states: [StoreHandle: PinnedSnapshot] = [:]
        for part in openParts {
            switch part.reading.generation {
            case .newest: return nil
            case .awaited: return .current
            case .absent: continue
            case .pinned(let snapshot): states[part.handle.store] = snapshot
            }
        }
        return QueryGenerationToken(value: .states(states, of: persistentStoreCoordinator))
    }

    /// Pins the context to one state of its stores. Fetches, counts, faults and refreshes show that
    /// state, even after later saves.
    ///
    /// Without a pin, each fetch shows the newest state, and the faults of a unit of work show the
    /// state of its first read. A pinned context shows a single state while it is pinned:
    /// - Unchanged objects become faults, so that they are loaded from the state too. Changed
    ///   objects keep their edits and base values, so other saves of them cause conflicts as usual.
    /// - A save moves the pin of each store that it writes to the new state. If another save came
    ///   between, unchanged objects become faults.
    /// - A rollback restores the values of the pinned state.
    /// - Stores that are added later cannot be read until the context is pinned again.
    ///
    /// A pin keeps an old state of each store, whose space cannot be reused: SQLite's log and
    /// LMDB's file grow meanwhile. The pin ends when a store needs the space and the pin is older
    /// than the lease of the store's snapshots. The lease is five minutes by default; set it with
    /// `snapshotLease(seconds:)` of the store's description. Reads then fail with ``StoreError``
    /// `.snapshotExpired` until the context is pinned again. Changes are kept and can be saved.
    /// - Parameter token: ``QueryGenerationToken/current`` for the newest state at the next read,
    ///   the token of a context of the same container, or nil to stop pinning.
    /// - Throws: ``ContextError`` `.invalidRequest` if the context merges other saves automatically
    ///   or is a child, or if the token is of another container. The context is unchanged then.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        requireOwner()
        noticeStores()
        defer { tellSoon() }
        guard let token else {
            for part in parts { part.reading.show(.newest) }
            events?.lists.record { $0.isEverything = true }
            return
        }
        if parent != nil {
            throw ContextError(
                .invalidRequest,
                "A child context reads what its parent has; pin the context at the top.")
        }
        if automaticallyMergesChangesFromParent { throw Self.pinOfMergingContext }
        if case .states(_, let owner) = token.value, owner !== persistentStoreCoordinator {
            throw ContextError(
                .invalidRequest,
                "A query generation of another container cannot be read here; take the token of a context "
                    + "of the same one, or .current.")
        }
        for part in parts {
            part.drainInbox()
            part.reading.show(part.generation(of: token))
            part.forgetUnchangedValues()
        }
    }

    private static var pinOfMergingContext: ContextError {
        ContextError(
            .invalidRequest,
            "A context that merges what others save cannot be pinned to a query generation: it would show "
                + "several states. Set automaticallyMergesChangesFromParent to false before.")
    }

    /// Traps if merging is switched on for a pinned context, because the setter cannot throw.
    func requireUnpinned() {
        if !main.isPinned { return }
        fatalError(
            "Duramen: the context '\(main.handle.contextName)' is pinned to a query generation and cannot merge "
                + "what others save. Call setQueryGeneration(from: nil) before.")
    }

    /// Pins all parts together, so that their states are of one time.
    fileprivate func pinAwaiting() throws(StoreError) {
        var pins: [(ContextPart, PinnedSnapshot)] = []
        for part in openParts {
            guard case .awaited = part.reading.generation else { continue }
            pins.append((part, try PinnedSnapshot(part.connection.store)))
        }
        for (part, snapshot) in pins { part.reading.pin(to: snapshot) }
    }
}

extension ContextPart {
    fileprivate func generation(of token: QueryGenerationToken) -> QueryGeneration {
        switch token.value {
        case .current: .awaited
        case .states(let states, _): states[handle.store].map { .pinned($0) } ?? .absent
        }
    }

    // MARK: - Reading

    /// Whether reads show a pinned state instead of the newest one.
    var isPinned: Bool { reading.generation.isPinned }

    /// Returns the state that a pinned context reads from.
    func pinnedSnapshot() throws(StoreError) -> PinnedSnapshot {
        if case .awaited = reading.generation { try context.pinAwaiting() }
        guard case .pinned(let snapshot) = reading.generation else {
            throw StoreError(
                .invalidRequest,
                "The store '\(connection.name)' was added after the context was pinned to a query "
                    + "generation; call setQueryGeneration(from: .current) to read it.")
        }
        return snapshot
    }

    // MARK: - Saving

    /// Moves the pin to the state that a save created.
    ///
    /// - Parameters:
    ///   - saved: The state; nil if it is not known.
    ///   - store: The store.
    func movePin(to saved: StoreGeneration?, in store: any PersistentStore) {
        movePin(to: saved, try? PinnedSnapshot(store))
    }

    /// Moves the pin to a snapshot that was taken after a save.
    func movePin(to saved: StoreGeneration?, _ moved: PinnedSnapshot?) {
        if case .awaited = reading.generation { return }
        var before: StoreGeneration?
        if case .pinned(let snapshot) = reading.generation { before = snapshot.generation }
        // The save is done. If the state cannot be read now, it is read later, or fails then.
        reading.show(moved.map { .pinned($0) } ?? .awaited)
        // Consecutive numbers mean that no other save came between.
        guard let before, let saved, let moved, moved.generation == saved,
            before.rawValue + 1 == saved.rawValue
        else { return forgetUnchangedValues() }
    }
}
