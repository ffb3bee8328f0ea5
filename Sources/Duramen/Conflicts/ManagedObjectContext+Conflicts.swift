import DuramenModel
import DuramenStore

/// The most attempts of a save while others save the same objects in between. Each time, some save
/// succeeds.
private let attemptLimit = 256
/// The most attempts without another save in between, for when settling causes new conflicts or
/// changes nothing.
private let ownAttemptLimit = 16

extension ManagedObjectContext {
    /// Settles all conflicts of a failed save in the context; save again afterwards.
    ///
    /// Conflicts that no longer exist, because objects were refreshed or edits reverted, are
    /// skipped. The store may have changed since the error, so the next save may throw another one.
    /// - Throws: `error` if the policy does not settle a conflict, or if a new object would have to
    ///   merge with two stored ones. Errors of the policy's closure. ``ContextError`` for invalid
    ///   values. If the call throws, the context is unchanged.
    public func resolve(_ error: SaveConflictError, using policy: MergePolicy) throws {
        requireOwner()
        noticeStores()
        propagateDeletes(forSave: true)
        let conflicts = error.conflicts.compactMap { conflict in
            part(of: main.currentID(of: conflict.objectID)).flatMap {
                MetConflict(conflict, of: $0)
            }
        }.filter(isStillThere)
        endUndoEvent()
        let isSettled = try withoutRecordingUndo { try settle(conflicts, by: policy) }
        if !isSettled { throw error }
        tellSoon()
        propagateDeletes(forSave: true)
    }

    /// Whether an object deleted elsewhere still matters here: it has changes, or a changed object
    /// refers to it.
    private func isStillThere(_ conflict: MetConflict) -> Bool {
        guard conflict.isOfVersions, conflict.stored == nil,
            registeredObject(for: conflict.objectID)?.hasChanges != true
        else { return true }
        return parts.contains { !$0.changedObjects(leadingTo: [conflict.objectID]).isEmpty }
    }

    /// Returns the error to throw if some stores were already written. Stores are written in the
    /// container's order, so the first unwritten store is the failed one unless `failed` names it.
    private func incomplete(
        _ saved: [StoreHandle], _ failed: StoreHandle?, _ cause: any Error
    ) -> any Error {
        var left = openParts.filter(\.mustSave).map(\.handle.store)
        guard let failed = failed ?? left.first else { return cause }
        left.removeAll { $0 == failed }
        return IncompleteSaveError(
            savedStores: saved, failedStore: failed, unsavedStores: left, cause: cause)
    }

    /// Settles conflicts by a policy.
    ///
    /// - Returns: False, with nothing changed, if the policy leaves a conflict to the application.
    private func settle(_ conflicts: [MetConflict], by policy: MergePolicy) throws -> Bool {
        if case .error = policy.choice { return false }
        if conflicts.contains(where: isOfGuard) { return false }
        let model = persistentStoreCoordinator.managedObjectModel
        var decisions: [MergeDecision] = []
        decisions.reserveCapacity(conflicts.count)
        for conflict in conflicts {
            guard let decision = try policy.decision(for: conflict, in: model) else { return false }
            try check(decision, for: conflict)
            decisions.append(decision)
        }
        guard main.canFold(conflicts, decisions) else { return false }
        for part in parts {
            guard !part.isStoreRemoved, conflicts.contains(where: { $0.part === part }) else {
                continue
            }
            part.reading.letGo()
            // The store may contain other saves that are not merged here yet.
            part.ledger.recordSave(hasWaiting: part.inbox.hasWaiting)
            var missing = SettledMissing()
            for (conflict, decision) in zip(conflicts, decisions)
            where conflict.part === part && conflict.isOfVersions {
                part.settleVersion(conflict, decision, &missing)
            }
            part.settleDeletions(of: missing.deletedToo)
            part.connectPartners(ofReturned: missing.insertedAgain)
            for (conflict, decision) in zip(conflicts, decisions) where conflict.part === part {
                if case .uniqueness(let constraint, let other) = conflict.kind {
                    part.settleUniqueness(conflict, constraint, other, decision)
                }
            }
            part.leadReferencesToSurvivors()
            part.readOrdersAgain()
            part.compactChanges()
        }
        awakeObjects()
        return true
    }

    /// Repeats a save until everything is written. Between attempts, the context's policy settles
    /// the conflicts.
    func saveSettlingConflicts(_ attempt: () throws -> SaveAttempt) throws {
        var attempts = ConflictAttempts()
        while try !isDone(after: attempt, &attempts) {}
        reportReplacements()
    }

    /// Runs one attempt to save, and settles its conflicts by the context's policy.
    ///
    /// - Returns: Whether everything is written; if false, try again.
    /// - Throws: The error of the save, including conflicts left to the application. Once a store
    ///   was written, it is the cause of an ``IncompleteSaveError``.
    func isDone(
        after attempt: () throws -> SaveAttempt, _ attempts: inout ConflictAttempts
    ) throws -> Bool {
        var failed: StoreHandle?
        do {
            switch try attempt() {
            case .written: return true
            case .overtaken: return false
            case .conflicted(let conflicts):
                failed = conflicts.first?.part.handle.store
                try settle(conflicts, &attempts)
            case .partly(let part):
                attempts.savedStores += part.saved
                failed = part.failed
                switch part.obstacle {
                case .conflicts(let conflicts): try settle(conflicts, &attempts)
                case .failure(let error): throw error
                }
            }
            // The settled changes may need delete rules and validation again.
            propagateDeletes(forSave: true)
            try validate()
            return false
        } catch {
            if attempts.savedStores.isEmpty { throw error }
            throw incomplete(attempts.savedStores, failed, error)
        }
    }

    /// Settles the conflicts of an attempt by the context's policy.
    private func settle(_ conflicts: [MetConflict], _ attempts: inout ConflictAttempts) throws {
        let mayGoOn = attempts.mayGoOn(after: conflicts)
        let left = try settlingDerived(conflicts)
        if mayGoOn, try left.isEmpty || settle(left, by: mergePolicy) { return }
        var error = SaveConflictError(left)
        error.attempts = attempts.count
        throw error
    }

    /// Merges changes of other saves that concern only derived attributes. Applications do not edit
    /// these, so such changes are not conflicts under any policy.
    ///
    /// - Returns: The remaining conflicts.
    private func settlingDerived(_ conflicts: [MetConflict]) throws -> [MetConflict] {
        if persistentStoreCoordinator.managedObjectModel.derivations.isEmpty { return conflicts }
        let derived = conflicts.filter(isOfDerivedAttributes)
        guard !derived.isEmpty, try settle(derived, by: .mergeByPropertyObjectTrump) else {
            return conflicts
        }
        return conflicts.filter { !isOfDerivedAttributes($0) }
    }

    private func isOfDerivedAttributes(_ conflict: MetConflict) -> Bool {
        guard conflict.isOfVersions, !isOfGuard(conflict), let base = conflict.base,
            let stored = conflict.stored, base.entityID == stored.entityID
        else { return false }
        let entity = conflict.part.model[stored.entityID]
        let derived = Set(entity.attributes.filter { $0.derivation != nil }.map(\.slot))
        return entity.layout.kinds.enumerated().allSatisfy { slot, kind in
            derived.contains(slot) || stored.hasSameValue(slot, kind, as: base)
        }
    }

    /// Whether a conflict concerns a guarded object. There may be no edit to merge, and a decision
    /// based on the object would not be made again.
    private func isOfGuard(_ conflict: MetConflict) -> Bool {
        guard conflict.isOfVersions, !conflict.part.tracker.guarded.isEmpty,
            let object = conflict.part.registeredHere(conflict.objectID)
        else { return false }
        return conflict.part.tracker.guarded[object] != nil
    }

    func reportReplacements() { replacements.report() }

    /// Rejects invalid values before anything is settled.
    private func check(_ decision: MergeDecision, for conflict: MetConflict) throws {
        if decision.values.isEmpty { return }
        let (part, id) = (conflict.part, conflict.objectID)
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
}

extension ContextPart {
    /// Invalidates the stored orders of edited ordered to-manys. The next save reloads and merges
    /// them, then numbers the result.
    fileprivate func readOrdersAgain() {
        for owner in tracker.touched {
            for state in owner.extra?.toManys ?? [] where state?.order != nil {
                state?.forgetStored()
            }
        }
    }

    // MARK: - Values from a closure

    /// Sets the checked values that a closure decided on.
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

    /// Sets an attribute to a valid value.
    func take(_ value: StoredValue, of attribute: Attribute, by object: ManagedObject) {
        do {
            try object.set(value, of: attribute)
        } catch {
            object.report(faultError: error)
        }
    }
}

/// The attempts of one save.
struct ConflictAttempts {
    private(set) var count = 0
    /// The stores that were written before another store had a conflict.
    var savedStores: [StoreHandle] = []
    private var ownCount = 0
    /// The conflicts of the last attempt.
    private var conflicts: [MetConflict] = []

    /// Counts an attempt with conflicts, and returns whether another attempt is allowed.
    mutating func mayGoOn(after newer: [MetConflict]) -> Bool {
        count += 1
        if !isOvertaken(by: newer) { ownCount += 1 }
        conflicts = newer
        return count < attemptLimit && ownCount < ownAttemptLimit
    }

    /// Whether another save has changed the objects since the last attempt.
    private func isOvertaken(by newer: [MetConflict]) -> Bool {
        if conflicts.isEmpty { return false }
        var stored: [ManagedObjectID: RowVersion] = [:]
        for conflict in conflicts { stored[conflict.objectID] = conflict.stored?.version }
        return newer.contains { conflict in
            guard let row = conflict.stored, let known = stored[conflict.objectID] else {
                return false
            }
            return known != row.version
        }
    }
}

extension StoredValue {
    /// Whether slots of a kind can hold the value.
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
