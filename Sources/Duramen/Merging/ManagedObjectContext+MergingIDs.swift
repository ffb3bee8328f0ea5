import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Merges a save manually. Use it for a save of another process, or while
    /// ``automaticallyMergesChangesFromParent`` is off.
    ///
    /// The lists only select objects; their present stored state is merged. Registered objects get
    /// newer values and keep their edits, as in an automatic merge. Missing objects are added to
    /// ``deletedObjects``, and loaded to-manys are reloaded. Objects that are not registered are
    /// not loaded. Edits of invalidated objects are discarded. The parents of a child merge first,
    /// because it loads from them.
    /// - Complexity: One statement per 500 registered objects of the lists, and a visit of every
    ///   registered object.
    public func mergeChanges(fromContextDidSave changes: ChangedObjectIDs) {
        requireOwner()
        Self.mergeChanges(fromRemoteContextSave: changes, into: [self])
    }

    /// Merges a save manually into several contexts of one isolation, parents before children; see
    /// ``mergeChanges(fromContextDidSave:)``. For background contexts use
    /// ``PersistentContainer/mergeChanges(fromRemoteContextSave:into:)``.
    public static func mergeChanges(
        fromRemoteContextSave changes: ChangedObjectIDs, into contexts: [ManagedObjectContext]
    ) {
        var done: Set<ObjectIdentifier> = []
        for context in contexts { context.merge(changes, &done) }
    }

    private func merge(_ changes: ChangedObjectIDs, _ done: inout Set<ObjectIdentifier>) {
        guard done.insert(ObjectIdentifier(self)).inserted else { return }
        parent?.merge(changes, &done)
        noticeStores()
        propagateDeletes()
        withoutRecordingUndo { for part in openParts { part.mergeHere(changes) } }
        tellSoon()
    }
}

extension ContextPart {
    /// Merges the present stored state of objects of this part's store.
    func mergeHere(_ changes: ChangedObjectIDs) {
        reading.letGo()
        for id in changes.invalidated {
            // Errors can be ignored, because loading the object throws them again.
            if let object = registeredHere(id) { try? refresh(object, mergeChanges: false) }
        }
        if parentPart == nil { recordDeletions(of: changes.deleted) }
        mergeStored(changes.all.filter { isOwn($0) })
    }

    /// Records deletions of objects that edits here may refer to.
    private func recordDeletions(of ids: Set<ManagedObjectID>) {
        if !hasOwnChanges { return }
        var gone = ids.map(currentID).filter { $0.store == handle.store }
        // The list may be wrong, or newer than the state that this process sees.
        guard let rows = try? currentSnapshot().batches(for: gone).joined() else { return }
        let there = Set(rows.map { $0.objectID(in: model, store: handle.store) })
        gone.removeAll(where: there.contains)
        ledger.recordDeletions(gone)
    }
}

extension PersistentContainer {
    /// Merges a save manually into several contexts, one after another; see
    /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public func mergeChanges(
        fromRemoteContextSave changes: ChangedObjectIDs, into contexts: [BackgroundContext]
    ) async {
        for context in contexts {
            await context.perform { $0.mergeChanges(fromContextDidSave: changes) }
        }
    }
}
