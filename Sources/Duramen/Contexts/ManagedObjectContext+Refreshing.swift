import DuramenModel
import DuramenStore

extension ManagedObjectContext {
    /// Reads an object's stored values anew.
    ///
    /// - Parameter mergeChanges: True keeps the object's edits on top of the new values; false drops
    ///   them and makes the object a fault.
    /// - Throws: ``ContextError`` `.objectNotFound` when the object is gone, or the store's error.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        requireOwn(object, for: "refresh")
        guard !object.flags.contains(.inserted) else { return }
        if !mergeChanges {
            revertToManys(of: object)
            object.turnIntoFault()
            updated.removeAll { $0 === object }
            return
        }
        snapshot = nil
        let batch = try currentSnapshot().rows(for: [object.objectID])
        guard batch.count == 1 else { throw ContextError.objectNotFound(object.objectID) }
        let new = batch[0]
        object.extra?.toManys.forEach { state in
            if state?.edits.isEmpty ?? false { state?.forget() }
        }
        guard object.extra?.base != nil, let row = object.row else {
            object.realize(
                storage: new.storage, words: UnsafeMutableRawPointer(mutating: new.unsafeWords))
            return
        }
        let layout = object.plan.entity.layout
        var mine = arena.copy(new, layout: layout)
        for slot in object.editedSlots.slots {
            arena.copyValue(of: slot, from: row, to: &mine, layout: layout)
        }
        object.extra?.base = new
        object.adopt(mine)
    }

    /// Reads every object's stored values anew: unchanged objects become faults, changed ones keep
    /// their edits on top of the new values.
    public func refreshAllObjects() throws {
        applyDeleteRules()
        var changed: [ManagedObject] = []
        for table in tables {
            table.forEach { object in
                if object.isUpdated {
                    changed.append(object)
                } else if object.flags.isDisjoint(with: .pinning) {
                    let hasEdits = !object.isSweepable
                    if !hasEdits { object.turnIntoFault() }
                }
            }
        }
        for object in changed { try refresh(object, mergeChanges: true) }
    }

    /// Drops all changes since the last save: new objects are forgotten, changed ones get their values
    /// back, deleted ones are there again.
    public func rollback() {
        for object in touched { object.forgetToManys() }
        for object in inserted where object.flags.contains(.inserted) {
            object.flags = .gone
            object.plan.table.remove(object.key)
        }
        for object in updated where object.flags.contains(.updated) { revert(object) }
        for object in deleted {
            object.flags.subtract([.deleted, .propagated])
        }
        inserted = []
        updated = []
        deleted.removeAll { !$0.flags.contains(.deletedElsewhere) }
        deletesToPropagate = []
        denials = []
        touched = []
        edges = [:]
        faultFailures = []
    }

    /// Forgets all objects and all changes. Objects still held must not be used any more.
    public func reset() {
        rollback()
        deleted = []
        snapshot = nil
        for table in tables {
            table.forEach { $0.flags.insert(.gone) }
            table.removeAll()
        }
        permanentKeys.removeAll()
        lastClassPlan = nil
    }

    /// Gives an object the values back that its edits are based on.
    private func revert(_ object: ManagedObject) {
        if let base = object.extra?.base {
            object.realize(
                storage: base.storage, words: UnsafeMutableRawPointer(mutating: base.unsafeWords))
        }
        object.extra?.base = nil
        object.extra?.faultError = nil
        object.flags.subtract([.updated, .writable])
    }

    /// Takes an object's edits back at the other ends of its relationships.
    private func revertToManys(of object: ManagedObject) {
        guard object.flags.contains(.updated), let base = object.extra?.base else { return }
        for reference in object.plan.toOnes {
            let id = object.destinationID(of: reference, in: base)
            object.setDestination(
                id.flatMap(registerFault), of: reference, updatesInverse: true)
        }
        edges = edges.filter { $0.key.source !== object && $0.key.destination !== object }
    }
}
