import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Writes the changes of a context of several stores, unless there are conflicts.
    func attemptParts() throws -> SaveAttempt {
        if stores.hasOne { return try main.attempt() }
        let changed = try changedParts()
        let attempt =
            changed.count > 1
            ? try SaveOfStores(changed).attempt() : try changed.first?.attempt() ?? .written
        // A save of unknown outcome that was found out may have left its edits to this one.
        if case .written = attempt { for part in openParts { part.commitToManys() } }
        return attempt
    }

    /// The parts of which something is to be saved. Several of them must all be writable.
    func changedParts() throws -> [ContextPart] {
        for part in parts where part.isStoreRemoved {
            // New objects are here when no other store keeps their entity.
            if let object = part.tracker.inserted.first {
                throw part.storeRemoved(object.objectID)
            }
        }
        let changed = openParts.filter { part in
            if part.mustSave { return true }
            part.compactChanges()
            return false
        }
        if changed.count > 1 { try requireWritable(changed) }
        return changed
    }

    private func requireWritable(_ parts: [ContextPart]) throws {
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
/// What can be known before is known before anything is written: whether a store may be written,
/// its keys, and all conflicts of all stores, since no other context of the container saves
/// meanwhile. Left are failures of writing, and another process that comes between the look and the
/// write.
struct SaveOfStores {
    private struct Part {
        let part: ContextPart
        let pending: PendingSave
    }

    private var parts: [Part] = []
    private var idle: [Part] = []

    init(_ contexts: [ContextPart]) throws {
        for part in contexts { try part.assignKeys(to: part.tracker.inserted.entries) }
        for part in contexts {
            try part.numberMembers()
            let part = Part(part: part, pending: try part.collectChanges())
            if part.pending.changes.isEmpty { idle.append(part) } else { parts.append(part) }
        }
    }

    func attempt() throws -> SaveAttempt {
        for part in parts { part.part.reading.letGo() }
        let connections = parts.map(\.part.connection)
        var stop: (index: Int, obstacle: PartOfSave.Obstacle)?
        try StoreConnection.withWritableStores(connections[...], []) { stores throws(StoreError) in
            stop = try write(stores)
        }
        guard let stop else {
            for part in idle { part.part.finishWithoutWriting(part.pending) }
            return .written
        }
        if case .conflicts(let conflicts) = stop.obstacle {
            for conflict in conflicts { conflict.part.keepStored(conflict) }
        }
        return try PartOfSave.attempt(
            of: parts.map(\.part.handle.store), stoppedAt: stop.index, stop.obstacle)
    }

    /// - Returns: Where and why writing stopped; nil when all is written.
    private func write(
        _ stores: [any PersistentStore]
    ) throws(StoreError) -> (index: Int, obstacle: PartOfSave.Obstacle)? {
        var conflicts: [MetConflict] = []
        for part in parts { conflicts += part.part.missingEnds(part.pending) }
        for (part, store) in zip(parts, stores) {
            let found = try StoredConflicts(part.pending.changes, in: store).all()
            conflicts += found.map(part.part.metConflict)
        }
        if !conflicts.isEmpty { return (0, .conflicts(conflicts)) }
        for (index, part) in parts.enumerated() {
            do throws(StoreError) {
                let conflicts = try part.part.commit(part.pending, to: stores[index])
                if !conflicts.isEmpty { return (index, .conflicts(conflicts)) }
            } catch {
                return (index, .failure(error))
            }
        }
        return nil
    }
}
