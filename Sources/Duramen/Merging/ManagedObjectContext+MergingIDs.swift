import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Merges a save by hand. Use it for a save of another process, or while
    /// ``automaticallyMergesChangesFromParent`` is off.
    ///
    /// What the store has now is what counts; the lists only say where to look. Registered objects
    /// take over newer values beside their edits, as with a merge between units of work; those that
    /// are gone are listed in ``deletedObjects``; to-manys that are known are read anew. Objects
    /// that are not registered are not read. Edits of invalidated objects are dropped. The parents
    /// of a child merge first, since it reads from them.
    /// - Complexity: One statement per 500 registered objects of the lists, and a visit of every
    ///   registered object.
    public func mergeChanges(fromContextDidSave changes: ChangedObjectIDs) {
        requireOwner()
        Self.mergeChanges(fromRemoteContextSave: changes, into: [self])
    }

    /// Merges a save by hand into several contexts of one isolation, parents before their children;
    /// see ``mergeChanges(fromContextDidSave:)``. For background contexts there is
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
    }
}

extension ContextPart {
    /// Merges what is stored now of objects of this part's store.
    func mergeHere(_ changes: ChangedObjectIDs) {
        reading.letGo()
        for id in changes.invalidated {
            // It throws for nothing that is not thrown again when the object is read.
            if let object = registeredHere(id) { try? refresh(object, mergeChanges: false) }
        }
        if parentPart == nil { recordDeletions(of: changes.deleted) }
        mergeStored(changes.all.filter { isOwn($0) })
    }

    /// Remembers deletions that edits here may refer to.
    private func recordDeletions(of ids: Set<ManagedObjectID>) {
        if !hasOwnChanges { return }
        var gone = ids.map(currentID).filter { $0.store == handle.store }
        // Whoever sent the list may be wrong, or ahead of what this process sees.
        guard let rows = try? currentSnapshot().batches(for: gone).joined() else { return }
        let there = Set(rows.map { $0.objectID(in: model, store: handle.store) })
        gone.removeAll(where: there.contains)
        ledger.recordDeletions(gone)
    }
}

extension PersistentContainer {
    /// Merges a save by hand into several contexts in turn; see
    /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    public func mergeChanges(
        fromRemoteContextSave changes: ChangedObjectIDs, into contexts: [BackgroundContext]
    ) async {
        for context in contexts {
            await context.perform { $0.mergeChanges(fromContextDidSave: changes) }
        }
    }
}
