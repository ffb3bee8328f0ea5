import DuramenModel
import DuramenStore

/// How often a save is tried while others save the same objects in between: each time, somebody gets on.
private let attemptLimit = 256
/// How often of these nobody else may have come in between, so that what was settled brings up more, or nothing
/// comes of it.
private let ownAttemptLimit = 16

extension ManagedObjectContext {
    /// Settles the conflicts of a save by hand, all of them; save again afterwards.
    ///
    /// Conflicts that the context has no longer, because objects were refreshed or edits taken back, are left
    /// alone. What is stored by then may be newer than the error, so that the next save may throw another one.
    /// - Throws: The same error when the policy leaves a conflict to the application, or two stored objects
    ///   would have to become one with a new one; what the closure of a policy throws; ``ContextError`` for
    ///   values that do not fit. Nothing is changed then.
    public func resolve(_ error: SaveConflictError, using policy: MergePolicy) throws {
        requireOwner()
        noticeStores()
        propagateDeletes(forSave: true)
        let conflicts = error.conflicts.filter(isStillThere)
        guard try settle(conflicts, by: policy) else { throw error }
        propagateDeletes(forSave: true)
    }

    /// Whether what was deleted elsewhere is of any concern here: it has changes, or something is to lead to it.
    private func isStillThere(_ conflict: SaveConflict) -> Bool {
        guard conflict.kind == .version, conflict.stored == nil,
            registeredObject(for: conflict.objectID)?.hasChanges != true
        else { return true }
        return parts.contains { !$0.changedObjects(leadingTo: [conflict.objectID]).isEmpty }
    }

    /// Writes the changes, and settles conflicts by the context's policy for as long as there are any.
    func writeSettlingConflicts(_ write: () throws -> Void) throws {
        var attempts = ConflictAttempts()
        while true {
            do {
                try write()
                return reportReplacements()
            } catch {
                try settle(error, &attempts)
            }
        }
    }

    /// Settles the conflicts of an attempt to save by the context's policy, for another one.
    ///
    /// - Throws: The error when it is of another kind, or is left to the application; as the cause of an
    ///   ``IncompleteSaveError`` once a store was written.
    func settle(_ error: any Error, _ attempts: inout ConflictAttempts) throws {
        var failure = error
        if let error = error as? IncompleteSaveError {
            attempts.savedStores += error.savedStores
            failure = error.cause
        }
        do {
            guard var conflict = failure as? SaveConflictError else { throw failure }
            let mayGoOn = attempts.mayGoOn(after: conflict)
            conflict = SaveConflictError(conflicts: try settlingDerived(conflict.conflicts))
            guard mayGoOn,
                try conflict.conflicts.isEmpty || settle(conflict.conflicts, by: mergePolicy)
            else {
                conflict.attempts = attempts.count
                throw conflict
            }
            // What a policy did may bring delete rules and validation up again.
            propagateDeletes(forSave: true)
            try validate()
        } catch let cause {
            if attempts.savedStores.isEmpty { throw cause }
            let failed =
                (error as? IncompleteSaveError)?.failedStore
                ?? (cause as? SaveConflictError)?.conflicts.first?.objectID.store
            throw incomplete(attempts.savedStores, failed, cause)
        }
    }

    /// Takes over what others' saves changed of objects by derived attributes alone: nobody edits these, so they are no
    /// conflict, whatever the policy.
    ///
    /// - Returns: The conflicts that are left.
    private func settlingDerived(_ conflicts: [SaveConflict]) throws -> [SaveConflict] {
        if persistentStoreCoordinator.managedObjectModel.derivations.isEmpty { return conflicts }
        let derived = conflicts.filter(isOfDerivedAttributes)
        guard !derived.isEmpty, try settle(derived, by: .mergeByPropertyObjectTrump) else {
            return conflicts
        }
        return conflicts.filter { !isOfDerivedAttributes($0) }
    }

    private func isOfDerivedAttributes(_ conflict: SaveConflict) -> Bool {
        guard conflict.kind == .version, !isOfGuard(conflict), let base = conflict.base?.row,
            let stored = conflict.stored?.row, base.entityID == stored.entityID,
            let entity = part(for: conflict.objectID)?.model[stored.entityID]
        else { return false }
        let derived = Set(entity.attributes.filter { $0.derivation != nil }.map(\.slot))
        return entity.layout.kinds.enumerated().allSatisfy { slot, kind in
            derived.contains(slot) || stored.hasSameValue(slot, kind, as: base)
        }
    }

    /// What to throw when some stores were written in an earlier attempt, or in the one that failed. They are written in
    /// the order of the container, so that the first that is left is the one that failed, unless that is known.
    private func incomplete(
        _ saved: [StoreHandle], _ failed: StoreHandle?, _ cause: any Error
    ) -> any Error {
        var left = openParts.filter(\.mustSaveHere).map(\.handle.store)
        guard let failed = failed ?? left.first else { return cause }
        left.removeAll { $0 == failed }
        return IncompleteSaveError(
            savedStores: saved, failedStore: failed, unsavedStores: left, cause: cause)
    }

    /// Settles conflicts as a policy says.
    ///
    /// - Returns: False, with nothing changed, when one is left to the application.
    private func settle(_ conflicts: [SaveConflict], by policy: MergePolicy) throws -> Bool {
        if case .error = policy.choice { return false }
        if conflicts.contains(where: isOfGuard) { return false }
        var decided: [(conflict: SaveConflict, decision: MergeDecision)] = []
        for conflict in conflicts {
            let model = persistentStoreCoordinator.managedObjectModel
            guard let decision = try policy.decision(for: conflict, in: model) else { return false }
            try check(decision, for: conflict.objectID)
            decided.append((conflict, decision))
        }
        guard canFold(decided) else { return false }
        forEachPart { part in
            let own = decided.filter { $0.conflict.objectID.store == part.handle.store }
            if own.isEmpty || part.isStoreRemoved { return }
            part.snapshot = nil
            // Others' saves may be in the store that are still to be merged here.
            part.hasSavedSinceDrain = part.hasSavedSinceDrain || part.inbox.hasWaiting
            var deletedToo: [ManagedObject] = []
            for (conflict, decision) in own where conflict.kind == .version {
                part.settleVersion(conflict, decision, &deletedToo)
            }
            part.settleDeletions(of: deletedToo)
            for (conflict, decision) in own where conflict.kind != .version {
                part.settleUniqueness(conflict, decision)
            }
            part.leadReferencesToSurvivors()
            part.readOrdersAgain()
            part.listChangesOnce()
        }
        awakeObjects()
        return true
    }

    /// Whether a conflict is of an object that somebody guarded: there may be no edit to merge, and what was
    /// decided by the object would not be decided anew.
    private func isOfGuard(_ conflict: SaveConflict) -> Bool {
        guard conflict.kind == .version, let part = part(for: conflict.objectID),
            !part.guarded.isEmpty, let object = part.registeredHere(conflict.objectID)
        else { return false }
        return part.guarded[object] != nil
    }

    /// Takes out of the lists what is no longer in them, or is in them twice: an object that lost its edits may
    /// have got others since.
    private func listChangesOnce() {
        compactChanges()
        var seen: Set<ManagedObject> = []
        inserted.removeAll { !seen.insert($0).inserted }
        seen = []
        updated.removeAll { !seen.insert($0).inserted }
        seen = []
        deleted.removeAll { !seen.insert($0).inserted }
    }

    func reportReplacements() {
        if replacedObjectIDs.isEmpty, replacementsToReport.isEmpty { return }
        replacedObjectIDs = newReplacements
        replacementsToReport = [:]
    }

    /// Orders of to-manys are merged with what is stored now, and numbered anew.
    private func readOrdersAgain() {
        for owner in touched {
            for state in owner.extra?.toManys ?? [] where state?.order != nil {
                state?.forgetStored()
            }
        }
    }

    // MARK: - Values that a closure decided on

    /// Refuses values that do not fit, before anything is settled.
    private func check(_ decision: MergeDecision, for id: ManagedObjectID) throws {
        guard !decision.values.isEmpty, let part = part(for: id) else { return }
        for (name, value) in decision.values {
            switch part.model.entity(of: id)?.property(named: name) {
            case .attribute(let attribute)?:
                if value.isNull { continue }
                let problem =
                    value.fits(attribute.kind)
                    ? attribute.type.problem(with: value) : "is not of the attribute's type"
                if let problem {
                    throw ContextError.invalidValue(of: name, objectID: id, problem)
                }
            case .relationship(let relationship)? where !relationship.isToMany:
                if value.isNull { continue }
                guard case .objectID(let destination) = value,
                    part.model.entity(of: part.currentID(of: destination))?.isKind(
                        of: part.model[relationship.destination]) == true
                else {
                    throw ContextError.invalidValue(
                        of: name, objectID: id, "is not an object ID of the destination's entity")
                }
            default:
                throw ContextError(
                    .unknownName,
                    "A merge policy gives '\(id.entityName)' a value for '\(name)', which is not "
                        + "an attribute or to-one of it. Name one of the model's.", objectID: id)
            }
        }
    }

    /// Gives an object the values that a closure decided on, which were checked.
    func apply(_ decision: MergeDecision, to object: ManagedObject) {
        guard object.flags.isDisjoint(with: [.deleted, .gone, .deletedElsewhere]) else { return }
        for (name, value) in decision.values {
            switch object.plan.entity.property(named: name) {
            case .attribute(let attribute)?: take(value, of: attribute, by: object)
            case .relationship(let relationship)?:
                guard let reference = object.plan.reference(for: relationship) else { continue }
                var destination: ManagedObject?
                if case .objectID(let id) = value { destination = registerFault(id) }
                object.setDestination(destination, of: reference, updatesInverse: true)
            case nil: continue
            }
        }
    }

    /// Sets an attribute to a value that fits.
    func take(_ value: StoredValue, of attribute: Attribute, by object: ManagedObject) {
        do {
            try object.set(value, of: attribute)
        } catch {
            object.note(faultError: error)
        }
    }

    /// The part that keeps an object.
    private func part(for id: ManagedObjectID) -> ManagedObjectContext? {
        isPlain ? self : openParts.first { $0.handle.store == id.store }
    }
}

/// The attempts of one save.
struct ConflictAttempts {
    private(set) var count = 0
    /// Stores that were written before another one had a conflict.
    var savedStores: [StoreHandle] = []
    private var ownCount = 0
    /// What was stored at the last attempt.
    private var stored: [ManagedObjectID: RowVersion] = [:]

    /// Counts an attempt that met conflicts.
    mutating func mayGoOn(after error: SaveConflictError) -> Bool {
        count += 1
        var newer: [ManagedObjectID: RowVersion] = [:]
        var isOvertaken = false
        for conflict in error.conflicts {
            guard let row = conflict.stored?.row else { continue }
            newer[conflict.objectID] = row.version
            if let known = stored[conflict.objectID], known != row.version { isOvertaken = true }
        }
        stored = newer
        if !isOvertaken { ownCount += 1 }
        return count < attemptLimit && ownCount < ownAttemptLimit
    }
}

extension StoredValue {
    /// Whether slots of a kind hold such values.
    fileprivate func fits(_ kind: SlotKind) -> Bool {
        switch (self, kind) {
        case (.null, _), (.integer, .integer), (.double, .double), (.double, .float),
            (.boolean, .boolean), (.date, .date), (.text, .text), (.uri, .uri),
            (.decimal, .decimal), (.binary, .binary), (.binary, .transformable), (.uuid, .uuid):
            true
        default: false
        }
    }
}
