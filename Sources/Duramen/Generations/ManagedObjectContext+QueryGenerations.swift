import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// The state that the context is pinned to; nil when it reads the newest one.
    ///
    /// It is ``QueryGenerationToken/current`` from the moment that was set until something is read.
    /// Hand it to other contexts of the container, to show them the same state.
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
    /// Without a pin each fetch shows the newest state, and so do the faults of one unit of work
    /// from its first read on. With one, a context shows a single state for as long as it stays
    /// pinned:
    /// - Objects without changes become faults, so that they are read from the state too. Those
    ///   with changes keep them, on the values that they are based on: what others change meanwhile
    ///   conflicts with the save, as ever.
    /// - A save moves the pin of the stores that it writes to the state that it makes. When
    ///   somebody else saved in between, objects without changes become faults then.
    /// - A rollback gives back what the pinned state has.
    /// - Stores that are added later are not read before the context is pinned anew.
    ///
    /// A pin keeps an old state of each store, whose space cannot be used again: SQLite's log and
    /// LMDB's file grow meanwhile. When a store needs the space and the pin is older than the lease
    /// of its snapshots (`snapshotLease(seconds:)` of its description, five minutes by default),
    /// the pin ends, and reads fail with ``StoreError`` `.snapshotExpired` until the context is
    /// pinned anew. Changes are kept, and can be saved.
    /// - Parameter token: ``QueryGenerationToken/current`` for the state that is newest when
    ///   something is read next; the token of a context of the same container; or nil to read the
    ///   newest state again.
    /// - Throws: ``ContextError`` `.invalidRequest` when the context merges what others save or is
    ///   a child, or the token is of another container. The context stays as it was.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        requireOwner()
        noticeStores()
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

    /// Traps when a pinned context shall merge: the property cannot throw.
    func requireUnpinned() {
        if !main.isPinned { return }
        fatalError(
            "Duramen: the context '\(main.handle.contextName)' is pinned to a query generation and cannot merge "
                + "what others save. Call setQueryGeneration(from: nil) before.")
    }

    /// Pins all parts at once, so that their states are of one time.
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

    /// Whether reads do not show the newest state.
    var isPinned: Bool { reading.generation.isPinned }

    /// The state that a pinned context reads from.
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

    /// Moves the pin to the state that a save made.
    ///
    /// - Parameter saved: That state; nil when it is not known.
    func movePin(to saved: StoreGeneration?, in store: any PersistentStore) {
        movePin(to: saved, try? PinnedSnapshot(store))
    }

    /// Moves the pin to a state that was taken after a save.
    func movePin(to saved: StoreGeneration?, _ moved: PinnedSnapshot?) {
        if case .awaited = reading.generation { return }
        var before: StoreGeneration?
        if case .pinned(let snapshot) = reading.generation { before = snapshot.generation }
        // The save is done: what cannot be read now is read, or fails, later.
        reading.show(moved.map { .pinned($0) } ?? .awaited)
        // Saves are numbered one by one, at least where nothing came between.
        guard let before, let saved, let moved, moved.generation == saved,
            before.rawValue + 1 == saved.rawValue
        else { return forgetUnchangedValues() }
    }
}
