import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Writes the changes of a context of several stores, unless there are conflicts.
    func attemptParts() throws -> SaveAttempt {
        let attempt = try attemptChangedParts()
        if case .written = attempt { commitToManys() }
        return attempt
    }

    private func attemptChangedParts() throws -> SaveAttempt {
        if stores.hasOne { return try main.attempt() }
        let changed = try changedParts()
        if changed.count > 1 { return try SaveOfStores(changed).attempt() }
        return try changed.first?.attempt() ?? .written
    }

    /// Makes edits of to-manys part of the stored state that a save did not write itself: those of
    /// a save of unknown outcome, and of objects that others deleted too.
    func commitToManys() {
        for part in parts where !part.isStoreRemoved { part.commitToManys() }
    }

    /// Returns the parts with changes to save. If there are several, all must be writable.
    func changedParts() throws -> [ContextPart] {
        for part in parts where part.isStoreRemoved {
            // New objects remain in this part if no other store contains their entity.
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

/// A save of several stores: all are checked first, and then written one after another.
///
/// The check covers write access, keys and all conflicts before anything is written, because no
/// other context of the container saves meanwhile. Later failures are only write errors, and
/// conflicts with another process that saves between check and write.
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

    /// Checks and writes all stores.
    ///
    /// - Returns: Where and why writing stopped; nil if everything was written.
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
