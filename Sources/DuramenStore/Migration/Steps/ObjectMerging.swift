import DuramenModel
import DuramenQuery

/// Deletes objects, and moves their values and relationships to other objects.
struct ObjectMerging {
    private let work: StepWork
    private let snapshot: any StoreSnapshot
    private let handle: StoreHandle
    private var model: ManagedObjectModel { work.store.model }

    /// The replacements of deleted objects.
    private var survivors: [ManagedObjectID: ManagedObjectID] = [:]
    /// The deleted objects.
    private var leaving: [ManagedObjectID: Row] = [:]
    /// The new values of kept rows.
    private var patches: [ManagedObjectID: (row: Row, values: [Int: Value])] = [:]
    private var edges: [RelationshipID: Set<EdgeChange.Edge>] = [:]
    private var linked: Set<Link> = []
    /// By ordered to-many: the last order number.
    private var lastNumbers: [Link: Int64] = [:]

    private enum Value {
        /// The value of a slot of another row.
        case slot(Int, of: Row)
        case integer(Int64)
        case null
    }

    private struct Link: Hashable {
        var relationship: RelationshipID
        var source: ManagedObjectID
        var destination: ManagedObjectID?
    }

    /// The distance between order numbers, as in Core Data.
    private static let step: Int64 = 1_024

    init(_ work: StepWork, _ snapshot: any StoreSnapshot) {
        self.work = work
        self.snapshot = snapshot
        handle = work.store.handle
    }

    private func id(_ row: Row) -> ManagedObjectID { row.objectID(in: model, store: handle) }

    private mutating func set(_ value: Value, _ slot: Int, of row: Row) {
        patches[id(row), default: (row, [:])].values[slot] = value
    }

    /// Whether a slot is null, with the new values.
    private func isNull(_ slot: Int, of row: Row) -> Bool {
        switch patches[id(row)]?.values[slot] {
        case .null?: true
        case .slot?, .integer?: false
        case nil: row.isNull(slot)
        }
    }

    // MARK: - Requests

    /// Sets an attribute to null.
    mutating func clear(_ attribute: String, of row: Row) {
        if case .attribute(let own)? = model[row.entityID].property(named: attribute) {
            set(.null, own.slot, of: row)
        }
    }

    /// Deletes an object and replaces it with another one.
    mutating func note(_ other: Row, goesInto survivor: Row) {
        survivors[id(other)] = id(survivor)
        remove(other)
    }

    /// Deletes an object.
    mutating func remove(_ row: Row) { leaving[id(row)] = row }

    /// Fills null attributes of an object from other objects.
    mutating func fill(_ survivor: Row, from others: [Row]) {
        for attribute in model[survivor.entityID].attributes
        where attribute.derivation == nil && isNull(attribute.slot, of: survivor) {
            for other in others {
                guard
                    case .attribute(let own)? = model[other.entityID].property(
                        named: attribute.name),
                    !other.isNull(own.slot)
                else { continue }
                set(.slot(own.slot, of: other), attribute.slot, of: survivor)
                break
            }
        }
    }

    /// Moves the relationships of other objects, in both directions, to an object.
    mutating func repoint(_ others: [Row], to survivor: Row) throws(StoreError) {
        var seen: Set<RelationshipID> = []
        for other in others {
            for relationship in model[other.entityID].relationships
            where model[survivor.entityID].relationship(relationship.id) != nil {
                switch relationship.storage {
                case .toOne: try repoint(relationship, of: other, to: survivor)
                case .inverseOfToOne:
                    try repointSources(of: relationship, from: other, to: survivor)
                case .manyToMany:
                    let isFirst = seen.insert(relationship.id).inserted
                    try repointPairs(of: relationship, from: other, to: survivor, isFirst)
                }
            }
        }
    }

    // MARK: - Relationships

    private func row(_ id: ManagedObjectID) throws(StoreError) -> Row? {
        if let known = patches[id]?.row { return known }
        return try snapshot.row(for: id)
    }

    /// The replacement of an object; the object itself if it stays.
    private func survivor(of id: ManagedObjectID) -> ManagedObjectID { survivors[id] ?? id }

    private mutating func repoint(
        _ relationship: Relationship, of other: Row, to survivor: Row
    ) throws(StoreError) {
        guard let old = model[other.entityID].relationship(relationship.id),
            let own = model[survivor.entityID].relationship(relationship.id),
            isFree(own, of: survivor),
            let destination = other.destination(of: old, in: model, store: handle)
        else { return }
        let partner = self.survivor(of: destination)
        if partner == id(survivor) { return }
        link(survivor, own, to: partner)
        if let order = own.orderSlot, let oldOrder = old.orderSlot, !other.isNull(oldOrder) {
            set(.integer(other.integer(oldOrder)), order, of: survivor)
        }
        // If both sides are to-ones, both rows have a reference.
        if model[relationship.inverse].slot != nil, let row = try row(partner),
            let back = model[row.entityID].relationship(relationship.inverse)
        {
            link(row, back, to: id(survivor))
        }
    }

    /// Whether a to-one is null, or refers to an object that its owner replaces.
    private func isFree(_ relationship: Relationship, of survivor: Row) -> Bool {
        guard let slot = relationship.slot else { return false }
        if isNull(slot, of: survivor) { return true }
        guard patches[id(survivor)]?.values[slot] == nil,
            let own = survivor.destination(of: relationship, in: model, store: handle)
        else { return false }
        return survivors[own] == id(survivor)
    }

    private mutating func link(
        _ row: Row, _ relationship: Relationship, to destination: ManagedObjectID
    ) {
        guard case .toOne(let slot, let entitySlot) = relationship.storage else { return }
        set(.integer(destination.key), slot, of: row)
        if let entitySlot, let entity = model.entity(of: destination) {
            set(.integer(Int64(entity.id.index)), entitySlot, of: row)
        }
    }

    private mutating func repointSources(
        of relationship: Relationship, from other: Row, to survivor: Row
    ) throws(StoreError) {
        let lists = try snapshot.orderedDestinations(of: relationship.id, from: [id(other)])
        for source in (lists.first ?? []).sorted() where leaving[source.id] == nil {
            guard source.id != id(survivor), let row = try row(source.id),
                let back = model[row.entityID].relationship(relationship.inverse)
            else { continue }
            link(row, back, to: id(survivor))
            if let slot = back.orderSlot {
                set(.integer(try nextNumber(relationship, survivor)), slot, of: row)
            }
        }
    }

    /// The number after the last member of an ordered to-many.
    private mutating func nextNumber(
        _ relationship: Relationship, _ survivor: Row
    ) throws(StoreError) -> Int64 {
        let link = Link(relationship: relationship.id, source: id(survivor))
        let last: Int64
        if let known = lastNumbers[link] {
            last = known
        } else {
            let lists = try snapshot.orderedDestinations(of: relationship.id, from: [id(survivor)])
            last = (lists.first ?? []).compactMap(\.order).max() ?? Self.step
        }
        lastNumbers[link] = last + Self.step
        return last + Self.step
    }

    private mutating func repointPairs(
        of relationship: Relationship, from other: Row, to survivor: Row, _ isFirst: Bool
    ) throws(StoreError) {
        let own = id(survivor)
        if isFirst {
            let lists = try snapshot.destinations(of: relationship.id, from: [own])
            for destination in lists.first ?? [] { note(relationship, own, destination) }
        }
        let lists = try snapshot.orderedDestinations(of: relationship.id, from: [id(other)])
        for end in (lists.first ?? []).sorted() {
            let destination = self.survivor(of: end.id)
            if destination == own || !note(relationship, own, destination) { continue }
            let back = try snapshot.order(
                of: id(other), in: model[relationship.inverse], of: end.id)
            edges[relationship.id, default: []].insert(
                EdgeChange.Edge(
                    from: own, to: destination,
                    order: relationship.isOrdered ? try nextNumber(relationship, survivor) : nil,
                    inverseOrder: back))
        }
    }

    /// Records a pair in both directions.
    ///
    /// - Returns: Whether the pair is new.
    @discardableResult
    private mutating func note(
        _ relationship: Relationship, _ source: ManagedObjectID, _ destination: ManagedObjectID
    ) -> Bool {
        linked.insert(
            Link(relationship: relationship.inverse, source: destination, destination: source))
        return linked.insert(
            Link(relationship: relationship.id, source: source, destination: destination)
        ).inserted
    }

    // MARK: - Saving

    /// Saves all changes.
    mutating func finish() throws(StoreError) {
        try release()
        var changes = ChangeSet()
        for (id, patch) in patches where leaving[id] == nil {
            changes.updates.append(update(patch.row, patch.values))
        }
        changes.edges = edges.map { EdgeChange(relationship: $0, added: Array($1)) }
        changes.deletes = leaving.map { RowDeletion(id: $0, baseVersion: $1.version) }
        if !changes.isEmpty { try work.save(changes) }
    }

    /// Clears the references to deleted objects. The store deletes their pairs.
    private mutating func release() throws(StoreError) {
        for (entity, rows) in Dictionary(grouping: leaving.values, by: \.entityID) {
            for relationship in model[entity].relationships
            where model[relationship.inverse].slot != nil {
                let sources = try snapshot.sources(of: relationship, of: rows, in: work.store)
                for source in sources.joined() where leaving[source] == nil {
                    try clear(relationship.inverse, of: source)
                }
            }
        }
    }

    /// Clears a to-one, unless it has a new destination.
    private mutating func clear(
        _ toOne: RelationshipID, of owner: ManagedObjectID
    ) throws(StoreError) {
        guard let row = try row(owner), let own = model[row.entityID].relationship(toOne),
            case .toOne(let slot, let entitySlot) = own.storage,
            patches[owner]?.values[slot] == nil
        else { return }
        for slot in [slot, entitySlot, own.orderSlot].compactMap({ $0 }) {
            set(.null, slot, of: row)
        }
    }

    private func update(_ row: Row, _ values: [Int: Value]) -> RowUpdate {
        let layout = model[row.entityID].layout
        var slots = SlotSet()
        for slot in values.keys { slots.insert(slot) }
        let new = row.replacing(slots, layout: layout) { builder in
            for (slot, value) in values {
                switch value {
                case .null: break
                case .integer(let number): builder.set(integer: number, at: slot)
                case .slot(let other, let row):
                    builder.set(
                        row.value(other, layout.kinds[slot]), at: slot, as: layout.kinds[slot])
                }
            }
        }
        return RowUpdate(row: new, baseVersion: row.version, changedSlots: slots)
    }
}
