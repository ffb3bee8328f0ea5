import DuramenModel
import DuramenStore

// The replacement of one object by another, with all references to it.

extension ContextPart {
    /// Returns the pair edits of an object.
    private func pairEdits(of object: ManagedObject) -> [EdgeKey: Bool] {
        if tracker.edges.isEmpty { return [:] }
        var found: [EdgeKey: Bool] = [:]
        for (relationship, state) in zip(object.plan.toManys, object.extra?.toManys ?? []) {
            guard let state, case .manyToMany = relationship.storage else { continue }
            for edit in state.edits {
                guard let member = registeredObject(for: edit.id) else { continue }
                let key = edgeKey(relationship, from: object, to: member).key
                if let isAdded = tracker.edges[key] { found[key] = isAdded }
            }
        }
        return found
    }

    /// Moves a one-to-one from a replaced object to its survivor, unless the survivor already has a
    /// destination.
    func takeOver(
        _ reference: ReferencePlan, of loser: ManagedObject, by survivor: ManagedObject
    ) {
        guard let own = survivor.plan.reference(for: reference.relationship),
            let partner = loser.destination(of: reference), partner !== survivor,
            partner !== loser, survivor.destination(of: own) == nil
        else { return }
        loser.setDestination(nil, of: reference, updatesInverse: true)
        survivor.setDestination(partner, of: own, updatesInverse: true)
    }

    /// Updates references to replaced objects in all rows that are to be saved.
    func leadReferencesToSurvivors() {
        if identity.replacedIDs.isEmpty { return }
        for object in tracker.written {
            guard let row = object.mutableRow else { continue }
            for reference in object.plan.toOnes {
                guard let id = object.destinationID(of: reference, in: row.row),
                    identity.replacedIDs[id] != nil,
                    let survivor = registeredHere(id)
                else { continue }
                if survivor.plan.entity.isKind(of: reference.destination) {
                    row.set(integer: survivor.key, at: reference.slot)
                    if let slot = reference.entitySlot {
                        row.set(integer: Int64(survivor.plan.entity.id.index), at: slot)
                    }
                } else {
                    object.writeDestination(nil, entity: nil, of: reference)
                }
            }
        }
    }

    /// Makes a replaced new object the representation of the stored object that replaced it. Both
    /// have the same entity. The application keeps using the object that it created.
    func takePlace(of other: ManagedObject, _ object: ManagedObject) {
        let transients = object.extra?.transients
        let pairs = pairEdits(of: other)
        object.key = other.key
        object.recordWriteToIndexed()
        object.storage = other.storage
        object.words = other.words
        object.origin = other.origin
        let isUpdated = other.flags.contains(.updated)
        tracker.reflag(object, other.flags)
        // Other holders of the stored object see its stored values.
        if let base = other.extra?.base {
            other.realize(
                storage: base.storage, words: UnsafeMutableRawPointer(mutating: base.unsafeWords))
        }
        object.takeExtra(of: other)
        if let transients { object.ensureExtra().transients = transients }
        tracker.reflag(other, [.gone, .buried])
        object.plan.table.insert(object, key: object.key)
        if isUpdated { tracker.update(object) }
        tracker.touch(object)
        for (edge, isAdded) in pairs {
            tracker.forget(edge)
            let source = edge.source === other ? object : edge.source
            let destination = edge.destination === other ? object : edge.destination
            let key = edgeKey(model[edge.relationship], from: source, to: destination).key
            tracker.set(key, isAdded: isAdded)
        }
    }

    func recordReplacement(of lost: ManagedObjectID, by survivor: ManagedObjectID) {
        withContext { $0.replacements.record(lost, survivor) }
    }

    /// Replaces a new object by another object and removes the new one.
    ///
    /// - Parameters:
    ///   - loser: The new object.
    ///   - survivor: The object that replaces it.
    ///   - keepingPairs: Whether the survivor gets many-to-many pairs that were added to the new
    ///     object.
    func replace(_ loser: ManagedObject, by survivor: ManagedObject, keepingPairs: Bool) {
        let lost = loser.objectID
        undoRecorder?.recordReplacement(of: loser)
        for reference in loser.plan.toOnes {
            if !reference.inverse.isToMany { takeOver(reference, of: loser, by: survivor) }
            let owner = loser.destination(of: reference)
            loser.setDestination(nil, of: reference, updatesInverse: true)
            dropNotes(of: lost, at: owner?.objectID, reference)
        }
        for (edge, isAdded) in pairEdits(of: loser) {
            tracker.forget(edge)
            dropNotes(of: edge)
            guard isAdded, keepingPairs else { continue }
            let isSource = edge.source === loser
            let relationship = model[edge.relationship]
            let own = isSource ? relationship : model[relationship.inverse]
            var member = isSource ? edge.destination : edge.source
            if member === loser { member = survivor }
            if let index = survivor.plan.own(own)?.storage.toManyIndex {
                survivor.insertMember(member, at: index)
            }
        }
        for relationship in loser.plan.toManys {
            guard case .inverseOfToOne(let index) = relationship.storage,
                loser.toManyState(of: relationship)?.hasEdits == true,
                let own = survivor.plan.own(relationship)?.storage.toManyIndex
            else { continue }
            for id in loser.members(at: index) {
                survivor.recordMember(id, at: own, isAdded: true)
            }
        }
        loser.plan.table.remove(loser.key)
        tracker.reflag(loser, [.gone, .buried])
        loser.forgetToManys()
        identity.replace(lost, by: survivor.objectID)
        recordReplacement(of: lost, by: survivor.objectID)
        for part in context.parts { part.identity.beginEpoch() }
    }
}

/// The IDs replaced because of unique values, with their survivors.
struct Replacements {
    private typealias Pair = (lost: ManagedObjectID, survivor: ManagedObjectID)

    /// The replacements since the last save.
    private var pairs: [Pair] = []
    /// The replacements that the last save reported.
    private var reported: [Pair] = []

    mutating func record(_ lost: ManagedObjectID, _ survivor: ManagedObjectID) {
        pairs.append((lost, survivor))
    }

    /// Reports the replacements so far as those of the last save.
    mutating func report() {
        reported = pairs
        pairs = []
    }

    /// All replaced and surviving IDs since the last save.
    var ids: [ManagedObjectID] { pairs.flatMap { [$0.lost, $0.survivor] } }

    /// The replacements of the last save: the final ID by replaced ID.
    var survivors: [ManagedObjectID: ManagedObjectID] {
        var next: [ManagedObjectID: ManagedObjectID] = Dictionary(
            minimumCapacity: reported.count)
        for (lost, survivor) in reported { next[lost] = survivor }
        return next.mapValues { survivor in
            var id = survivor
            while let later = next[id] { id = later }
            return id
        }
    }
}
