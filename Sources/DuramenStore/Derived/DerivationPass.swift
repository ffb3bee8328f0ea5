import DuramenModel
import DuramenQuery
import Foundation

/// Computes the derived attributes of one change set.
struct DerivationPass {
    private let plan: DerivationPlan
    private let state: ChangedState
    /// The derivations to compute, by object.
    private var needs: [ManagedObjectID: Set<Int>] = [:]
    private let version: RowVersion?

    init(
        _ changes: ChangeSet, plan: DerivationPlan, model: ManagedObjectModel,
        store: StoreHandle, source: any DerivationSource, version: RowVersion?
    ) {
        self.plan = plan
        self.version = version
        state = ChangedState(changes, plan: plan, model: model, store: store, source: source)
    }

    private var model: ManagedObjectModel { state.model }

    mutating func run() throws(StoreError) -> CompletedChanges {
        try state.read(since: version)
        let changes = state.changes
        for row in changes.inserts {
            need(plan.places[row.entityID.index].own, of: state.id(of: row))
        }
        for update in changes.updates { try note(update) }
        for deletion in changes.deletes { try note(deletion) }
        try noteMembers()
        return try result()
    }

    /// All derived values of stored rows except times, computed without the stored values.
    mutating func recomputed(_ rows: RowBatch) throws(StoreError) -> [RowUpdate] {
        var updates: [RowUpdate] = []
        for row in rows {
            let own = plan.places[row.entityID.index].own.filter {
                plan.derivations[$0].function != .now
            }
            if own.isEmpty { continue }
            let filled = try fill(row, state.id(of: row), Set(own), countsAnew: true)
            if filled.slots.isEmpty { continue }
            updates.append(
                RowUpdate(
                    row: filled.row, baseVersion: row.version, changedSlots: filled.slots))
        }
        return updates
    }

    // MARK: - Affected objects

    private mutating func need(_ derivations: some Sequence<Int>, of id: ManagedObjectID) {
        needs[id, default: []].formUnion(derivations)
    }

    private mutating func note(_ update: RowUpdate) throws(StoreError) {
        let place = plan.places[update.row.entityID.index]
        let id = state.id(of: update.row)
        let changed = update.changedSlots
        let own = place.own.filter { index in
            let derivation = plan.derivations[index]
            if changed.contains(derivation.attribute.slot) { return true }
            switch derivation.function {
            case .now: return true
            case .count, .sum: return false
            case .copy, .uppercase, .lowercase, .canonical, .localized:
                let slot = derivation.toOnes.first.map(\.slot) ?? derivation.source?.slot
                return slot.map { changed.contains($0) } ?? false
            }
        }
        if !own.isEmpty { need(own, of: id) }
        for watch in place.watches where changed.contains(watch.slot) {
            try walkBack(watch, from: id)
        }
    }

    private mutating func note(_ deletion: RowDeletion) throws(StoreError) {
        guard let entity = model.entity(of: deletion.id) else { return }
        for watch in plan.places[entity.id.index].watches {
            // The owners that counted the deleted object are found through their memberships.
            if plan.derivations[watch.derivation].members != nil { continue }
            try walkBack(watch, from: deletion.id)
        }
    }

    /// Adds the objects whose derived attributes depend on a slot of a row.
    private mutating func walkBack(
        _ watch: DerivationPlan.Watch, from id: ManagedObjectID
    ) throws(StoreError) {
        var reached = [id]
        for step in watch.back {
            var next: [ManagedObjectID] = []
            for id in reached { next += try state.destinations(of: model[step], from: id) }
            reached = next
        }
        for id in reached { need(CollectionOfOne(watch.derivation), of: id) }
    }

    private mutating func noteMembers() throws(StoreError) {
        for (index, derivation) in plan.derivations.enumerated() {
            guard let members = derivation.members else { continue }
            let owners = try state.membership(of: members).owners
            for id in owners { need(CollectionOfOne(index), of: id) }
        }
    }

    // MARK: - Results

    private func result() throws(StoreError) -> CompletedChanges {
        var changes = state.changes
        let updateCount = changes.updates.count
        var derivedInserts: [Int] = []
        var derivedUpdates: [Int] = []
        var bases: [Int: Row] = [:]
        for (id, needed) in needs.sorted(by: { $0.key < $1.key }) {
            guard let row = try state.row(for: id) else { continue }
            let filled = try fill(row, id, needed)
            guard !filled.slots.isEmpty else { continue }
            if let place = state.insertPlaces[id] {
                changes.inserts[place] = filled.row
                derivedInserts.append(place)
            } else if let place = state.updatePlaces[id] {
                changes.updates[place].row = filled.row
                changes.updates[place].changedSlots =
                    changes.updates[place].changedSlots.union(filled.slots)
                derivedUpdates.append(place)
                bases[place] = try state.storedRow(for: id)
            } else {
                bases[changes.updates.count] = row
                derivedUpdates.append(changes.updates.count)
                changes.updates.append(
                    RowUpdate(
                        row: filled.row, baseVersion: row.version, changedSlots: filled.slots))
            }
        }
        return CompletedChanges(
            changes, updateCount: updateCount, derivedInserts: derivedInserts,
            derivedUpdates: derivedUpdates, bases: bases)
    }

    /// The row with its new derived values, and the slots whose values changed.
    private func fill(
        _ row: Row, _ id: ManagedObjectID, _ needed: Set<Int>, countsAnew: Bool = false
    ) throws(StoreError) -> (row: Row, slots: SlotSet) {
        var values: [(slot: Int, kind: SlotKind, value: StoredValue)] = []
        var slots = SlotSet()
        let entity = model[row.entityID]
        for index in needed.sorted() where plan.places[entity.id.index].own.contains(index) {
            let derivation = plan.derivations[index]
            let attribute = derivation.attribute
            let value = try DerivedValue(
                derivation, of: row, id, in: state, countsAnew: countsAnew
            ).value()
            if row.value(attribute.slot, attribute.kind) == value { continue }
            values.append((attribute.slot, attribute.kind, value))
            slots.insert(attribute.slot)
        }
        if slots.isEmpty { return (row, slots) }
        let filled = row.replacing(slots, layout: entity.layout) { builder in
            for (slot, kind, value) in values { builder.set(value, at: slot, as: kind) }
        }
        return (filled, slots)
    }
}
