import DuramenModel

// A context may live as long as its process, and a unit of work as long as an import.
extension ManagedObjectContext {
    /// Releases unused objects and old IDs, when there may be many.
    func letGoAfterSave() {
        for part in parts {
            for table in part.tables where table.registeredSinceSweep >= Self.fewestToSweep {
                table.sweep(limit: table.registeredSinceSweep * 2)
                table.wasSweptWithinUnit = true
            }
        }
        guard parent == nil, !main.hasChildren, undoRecorder == nil, !hasChanges else { return }
        for part in parts { part.forgetOldKeys() }
    }

    /// Schedules the end of the unit of work after fetches that registered many objects. Nothing
    /// else may end it: an application may fetch and never save.
    func endUnitSoonIfFull() {
        if ownership.isPerforming { return }
        for part in parts {
            if part.tables.contains(where: { $0.registeredSinceSweep >= Self.manyToKeep }) {
                part.inbox.scheduleEndOfUnit()
            }
        }
    }

    private static let fewestToSweep = 1_024

    private static let manyToKeep = 4_096
}

extension ContextPart {
    /// Drops the oldest temporary IDs, unless their objects are registered.
    ///
    /// No object here has temporary IDs then, because only unsaved changes have them.
    fileprivate func forgetOldKeys() {
        guard identity.isOverfull else { return }
        for table in tables { table.sweep() }
        forEachObject { object in
            guard let extra = object.extra else { return }
            extra.toManys.forEach { $0?.replaceTemporaryIDs(in: self) }
            if !extra.fetched.isEmpty {
                extra.fetched = extra.fetched.mapValues { $0.map(currentID) }
            }
        }
        identity.forgetOldest { registeredObject(for: $0) != nil }
    }
}
