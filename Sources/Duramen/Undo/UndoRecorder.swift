import DuramenModel

/// Records the state of a context's objects before an event changes them, and registers it at the
/// end of the event. All parts of a context with an undo manager share one recorder.
final class UndoRecorder {
    /// The state of an object before the event.
    private struct Before {
        let object: ManagedObject
        let wasThere: Bool
        /// The slots that were written since.
        var slots = SlotSet()
        var edit: UndoStep.Edit
        /// The relationships of the object, if it is deleted.
        var deletion: UndoStep.Deletion?
    }

    let manager: any UndoManaging
    private let handle: ContextHandle
    private var befores: [Before] = []
    private var positions: [ManagedObject: Int] = [:]
    private var pairs: [EdgeKey: Bool] = [:]
    private var pairOrder: [EdgeKey] = []
    /// Objects that merged into another one.
    private(set) var replaced: Set<ManagedObject> = []
    private var late = LateDeletions()
    private var suspensions = 0
    private var isRegistering = false
    /// The step that is being undone or redone.
    private var present: UndoStep?

    init(_ handle: ContextHandle, _ manager: any UndoManaging) {
        self.handle = handle
        self.manager = manager
    }

    /// Whether there are changes that are not registered yet.
    var hasChanges: Bool { !befores.isEmpty || !pairs.isEmpty }

    /// Discards changes that are not registered yet.
    func forgetChanges() {
        befores = []
        positions = [:]
        pairs = [:]
        pairOrder = []
    }

    func forgetEverything() {
        forgetChanges()
        replaced = []
        late = LateDeletions()
    }

    /// Runs a closure whose changes are not recorded: merging, refreshing, settling conflicts.
    func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        suspensions += 1
        defer { suspensions -= 1 }
        return try body()
    }

    /// Records that an object merged into a stored one, which is not an insertion to undo.
    func recordReplacement(of object: ManagedObject) { replaced.insert(object) }

    // MARK: - Recording

    private var isRecording: Bool {
        suspensions == 0 && !late.isNoting && manager.isUndoRegistrationEnabled
    }

    /// Returns the index of an object's record, and creates it if needed.
    private func position(of object: ManagedObject, wasThere: Bool) -> Int {
        if let known = positions[object] { return known }
        if !hasChanges { handle.livePart?.scheduleEndOfUnit() }
        befores.append(
            Before(object: object, wasThere: wasThere, edit: UndoStep.Edit(object: object)))
        positions[object] = befores.count - 1
        return befores.count - 1
    }

    /// Returns the index of the record of an object that is about to change. An object that is new
    /// in this event needs no record; then the result is nil.
    private func positionForChange(of object: ManagedObject) -> Int? {
        guard isRecording else { return nil }
        let position = position(of: object, wasThere: object.isThere)
        return befores[position].wasThere ? position : nil
    }

    /// Records that a slot is about to be written.
    func recordWrite(of object: ManagedObject, slot: Int) {
        guard isRecording else { return }
        if object.words == nil { object.fireFault() }
        guard let position = positionForChange(of: object) else { return }
        if befores[position].edit.row == nil { befores[position].edit.row = object.rowBeforeWrite }
        befores[position].slots.insert(slot)
    }

    /// Records that a to-many is about to change. For an unordered one, the records of its members
    /// are sufficient.
    func recordMembers(of object: ManagedObject, at index: Int) {
        guard object.plan.toManys[index].isOrdered, let position = positionForChange(of: object),
            befores[position].edit.lists[index] == nil
        else { return }
        befores[position].edit.lists[index] = object.members(at: index)
    }

    /// Records that a transient attribute is about to be set.
    func recordTransient(of object: ManagedObject, at index: Int) {
        guard let position = positionForChange(of: object),
            befores[position].edit.transients[index] == nil
        else { return }
        let values = object.ensureTransients()
        befores[position].edit.transients[index] = TransientBefore(
            value: values.current[index], values: values,
            wasEdited: values.edited.contains(index))
    }

    /// Records that a many-to-many pair is about to be added or removed.
    func recordPair(
        _ relationship: Relationship, from source: ManagedObject, to destination: ManagedObject,
        in part: ContextPart
    ) {
        // References to another store are not recorded, because no save accepts them.
        guard isRecording, source.plan.handle === destination.plan.handle else { return }
        let edge = part.edgeKey(relationship, from: source, to: destination).key
        guard pairs[edge] == nil, let index = relationship.storage.toManyIndex else { return }
        if !hasChanges { handle.livePart?.scheduleEndOfUnit() }
        pairs[edge] = source.hasMember(destination.objectID, at: index)
        pairOrder.append(edge)
    }

    /// Records that an object exists now, because it is new or its deletion was undone.
    func recordInsertion(of object: ManagedObject) {
        if isRecording { _ = position(of: object, wasThere: false) }
    }

    /// Records that an object is about to be deleted.
    func recordDeletion(of object: ManagedObject) {
        if late.isNoting { return late.recordDeletion(of: object) }
        guard let position = positionForChange(of: object) else { return }
        befores[position].deletion = UndoStep.Deletion(object: object)
    }

    /// Records the relationships of a deleted object before its delete rules are applied.
    func recordRelationships(ofDeleted object: ManagedObject, in part: ContextPart) {
        if late.isNoting {
            return late.record(UndoStep.Deletion(of: object, from: object.row, in: part))
        }
        guard isRecording, let position = positions[object], befores[position].deletion != nil
        else {
            return
        }
        var deletion = UndoStep.Deletion(
            of: object, from: befores[position].edit.row ?? object.row, in: part)
        deletion.separated = separated(from: object, deletion, in: part)
        befores[position].deletion = deletion
        for (index, relationship) in object.plan.toManys.enumerated()
        where relationship.isOrdered && befores[position].edit.lists[index] == nil {
            befores[position].edit.lists[index] = object.members(at: index)
        }
    }

    /// Returns the objects that delete rules would have reached before the event, but do not reach
    /// now.
    private func separated(
        from object: ManagedObject, _ before: UndoStep.Deletion, in part: ContextPart
    ) -> [ManagedObject] {
        var separated: [ManagedObject] = []
        for (slot, destination) in before.destinations {
            guard let reference = object.plan.references[slot],
                reference.relationship.reachesDestinations,
                object.destination(of: reference) !== destination
            else { continue }
            separated.append(destination)
        }
        for (index, relationship) in object.plan.toManys.enumerated()
        where relationship.isManyToMany && relationship.reachesDestinations {
            for partner in object.hiddenPartners(at: index).compactMap(part.registeredObject) {
                let edge = part.edgeKey(relationship, from: object, to: partner).key
                if pairs[edge] == true, !isPair(edge) { separated.append(partner) }
            }
        }
        return separated
    }

    // MARK: - Delete rules after other saves

    /// Records that the delete rules of an object are applied again, because of other saves.
    func recordLateRules(of object: ManagedObject) { late.recordOwner(object) }

    /// Begins the rules of a deleted object.
    func beginRules(of object: ManagedObject) { late.beginRules(of: object) }

    /// Ends the rules that began last.
    func endRules() { late.endRules() }

    /// Returns the deletions of a step, with later members and with later deletions by their rules.
    func withLateDeletions(_ deletions: [UndoStep.Deletion]) -> [UndoStep.Deletion] {
        deletions.map { late.complete($0) } + deletions.flatMap { late.take(of: $0.object) }
    }

    // MARK: - Registering

    /// Ends the event: its changes become a step.
    func endEvent() {
        if let manager = manager as? ContextUndoManager {
            manager.endEvent()
        } else {
            registerChanges()
        }
    }

    /// Registers the changes since the last time, including those of delete rules.
    func registerChanges() {
        guard suspensions == 0, !isRegistering, let part = handle.livePart else { return }
        isRegistering = true
        defer { isRegistering = false }
        part.context.propagateDeletes(forSave: true)
        if !hasChanges { return }
        let step = makeStep(in: part)
        forgetChanges()
        guard !step.isEmpty, manager.isUndoRegistrationEnabled else { return }
        manager.registerUndo(withTarget: self) { try $0.putBack(step) }
    }

    private func putBack(_ step: UndoStep) throws {
        guard let part = handle.livePart else { return }
        present = step
        defer { present = nil }
        try part.context.putBack(step)
        registerChanges()
        part.context.awakeObjects()
    }

    private func makeStep(in part: ContextPart) -> UndoStep {
        var step = UndoStep()
        if let present {
            step.isRedo = !present.isRedo
            for deletion in present.deletions {
                let separated = deletion.separated + deletion.destinationsSince
                if !separated.isEmpty { step.separated[deletion.object] = separated }
            }
        }
        let forgotten = befores.lazy.map(\.object).filter { $0.flags.contains(.gone) }
        let known = Dictionary(
            forgotten.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
        for before in befores {
            if !before.wasThere {
                if before.object.isThere { step.insertions.append(before.object) }
                continue
            }
            if let deletion = before.deletion, !before.object.isThere {
                step.deletions.append(withoutNewMembers(deletion, known))
            }
            let edit = finished(before, in: part)
            if !edit.isEmpty { step.edits.append(edit) }
        }
        step.keepValuesOnly()
        for edge in pairOrder {
            guard let wasThere = pairs[edge] else { continue }
            let ends = [edge.source, edge.destination]
            // If one of its objects is new, the pair is undone with the object.
            if ends.contains(where: isNew) { continue }
            // A restored object gets the pairs that it had last.
            if ends.contains(where: { !$0.isThere }) || wasThere != isPair(edge) {
                step.pairs.append((edge, wasThere))
            }
        }
        return step
    }

    /// Returns a deletion without members that were assigned in the same event.
    ///
    /// - Parameters:
    ///   - deletion: The deletion.
    ///   - forgotten: New objects of the event that were deleted, so that the context does not have
    ///     them any more.
    private func withoutNewMembers(
        _ deletion: UndoStep.Deletion, _ forgotten: [ManagedObjectID: ManagedObject]
    ) -> UndoStep.Deletion {
        var deletion = deletion
        let object = deletion.object
        for (position, members) in deletion.members.enumerated() {
            let relationship = object.plan.toManys[members.index]
            guard case .inverseOfToOne = relationship.storage else { continue }
            let inverse = object.plan.handle.model[relationship.inverse]
            deletion.members[position].ids.removeAll { id in
                // A fault may have been created since for the ID of a removed object.
                guard
                    let member = forgotten[id] ?? handle.livePart?.registeredObject(for: id),
                    let before = positions[member].map({ befores[$0] })
                else { return false }
                guard before.wasThere else { return true }
                guard let back = member.plan.reference(for: inverse),
                    before.slots.contains(back.slot), let row = before.edit.row
                else { return false }
                return member.destinationID(of: back, in: row) != object.objectID
            }
        }
        return deletion
    }

    private func isNew(_ object: ManagedObject) -> Bool {
        positions[object].map { !befores[$0].wasThere } ?? false
    }

    private func isPair(_ edge: EdgeKey) -> Bool {
        edge.sourceIndex.map { edge.source.hasMember(edge.destination.objectID, at: $0) } ?? false
    }

    /// Returns the record of an object without unchanged values.
    private func finished(_ before: Before, in part: ContextPart) -> UndoStep.Edit {
        var edit = before.edit
        let object = before.object
        let plan = object.plan
        edit.slots = before.slots.slots.filter { slot in
            guard let old = edit.row, let row = object.row else { return false }
            guard let reference = plan.references[slot] else {
                return !row.hasSameValue(slot, plan.layout.kinds[slot], as: old)
            }
            let id = object.destinationID(of: reference, in: old)
            if id == object.destinationID(of: reference, in: row) { return false }
            edit.destinations[slot] = id.flatMap(part.registerFault)
            return true
        }
        if object.isThere {
            edit.lists = edit.lists.filter { index, list in
                list.map(part.currentID) != object.members(at: index)
            }
        }
        return edit
    }
}

extension UndoStep {
    /// Replaces rows of whole objects by copies with only the changed values.
    fileprivate mutating func keepValuesOnly() {
        var builder = RowBatchBuilder(capacity: 64 * edits.count, rows: edits.count)
        var positions: [Int] = []
        for (position, edit) in edits.enumerated() {
            guard let row = edit.row, !edit.slots.isEmpty else {
                edits[position].row = nil
                continue
            }
            let layout = edit.object.plan.layout
            builder.beginRow(
                entity: row.entityID, slotCount: layout.slotCount, key: row.key,
                version: row.version)
            for slot in edit.slots where !row.isNull(slot) {
                if layout.kinds[slot].isTail {
                    builder.set(bytes: row.unsafeBytes(slot), at: slot)
                } else {
                    builder.set(integer: row.integer(slot), at: slot)
                }
            }
            builder.endRow()
            positions.append(position)
        }
        let rows = builder.finish()
        for (number, position) in positions.enumerated() { edits[position].row = rows[number] }
    }
}
