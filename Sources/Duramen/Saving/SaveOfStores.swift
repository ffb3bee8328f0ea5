import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Writes the changes of a context of several stores.
    func saveParts() throws {
        let changed = try changedParts()
        if changed.count > 1 {
            try SaveOfStores(changed).run()
        } else {
            try changed.first?.saveHere()
        }
        // A save of unknown outcome that was found out may have left its edits to this one.
        for part in openParts { part.commitToManys() }
    }

    /// The parts of which something is to be saved. Several of them must all be writable.
    func changedParts() throws -> [ManagedObjectContext] {
        for part in parts where part.isStoreRemoved {
            // New objects are here when no other store keeps their entity.
            if let object = part.inserted.first(where: \.isInserted) {
                throw part.storeRemoved(object.objectID)
            }
        }
        let changed = openParts.filter { part in
            if part.mustSaveHere { return true }
            part.compactChanges()
            return false
        }
        if changed.count > 1 { try requireWritable(changed) }
        return changed
    }

    private func requireWritable(_ parts: [ManagedObjectContext]) throws {
        for part in parts where !part.connection.isWritable {
            throw StoreError(
                .readOnly,
                "'\(part.connection.name)' was opened for reading only, and objects of it were changed or "
                    + "guarded. Nothing was saved; roll back or refresh those, or open the store for writing."
            )
        }
    }
}

/// A save of several stores: all are looked at first, and then written one after the other.
///
/// What can be known before is known before anything is written: whether a store may be written, its
/// keys, and all conflicts of all stores, since no other context of the container saves meanwhile. Left
/// are failures of writing, and another process that comes between the look and the write.
struct SaveOfStores {
    private struct Part {
        let context: ManagedObjectContext
        let pending: PendingSave
    }

    private var parts: [Part] = []
    private var idle: [Part] = []

    init(_ contexts: [ManagedObjectContext]) throws {
        for context in contexts { try context.assignKeys(to: context.inserted) }
        for context in contexts {
            try context.numberMembers()
            let part = Part(context: context, pending: try context.collectChanges())
            if part.pending.changes.isEmpty { idle.append(part) } else { parts.append(part) }
        }
    }

    func run() throws {
        for part in parts { part.context.snapshot = nil }
        let connections = parts.map(\.context.connection)
        if let error = try StoreConnection.withWritableStores(connections[...], [], write) {
            for conflict in (error as? SaveConflictError)?.conflicts ?? [] { note(conflict) }
            throw error
        }
        for part in idle { part.context.finishWithoutWriting(part.pending) }
    }

    private func write(_ stores: [any PersistentStore]) throws(StoreError) -> (any Error)? {
        var conflicts: [SaveConflict] = []
        for part in parts { conflicts += part.context.missingEnds(part.pending) }
        for (part, store) in zip(parts, stores) {
            let found = try StoredConflicts(part.pending.changes, in: store).all()
            conflicts += found.map(part.context.saveConflict)
        }
        if !conflicts.isEmpty { return SaveConflictError(conflicts: conflicts) }
        for (place, part) in parts.enumerated() {
            do throws(StoreError) {
                if let error = try part.context.commit(part.pending, to: stores[place]) {
                    return failure(at: place, error)
                }
            } catch {
                return failure(at: place, error)
            }
        }
        return nil
    }

    /// What to throw when a store fails: with nothing written yet just what it says.
    private func failure(at place: Int, _ cause: any Error) -> any Error {
        if place == 0 { return cause }
        for conflict in (cause as? SaveConflictError)?.conflicts ?? [] { note(conflict) }
        let handles = parts.map(\.context.handle.store)
        return IncompleteSaveError(
            savedStores: Array(handles[..<place]), failedStore: handles[place],
            unsavedStores: Array(handles[(place + 1)...]), cause: cause)
    }

    private func note(_ conflict: SaveConflict) {
        let part = parts.first { $0.context.registeredHere(conflict.objectID) != nil }
        part?.context.noteStored(conflict)
    }
}
