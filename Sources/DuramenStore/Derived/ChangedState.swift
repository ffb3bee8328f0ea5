import DuramenModel

/// The state after a change set: stored rows and pairs, with the changes applied.
///
/// Used by one save at a time.
final class ChangedState {
    /// The objects that joined and left a to-many relationship, by owner.
    struct Membership {
        var joined: [ManagedObjectID: Set<ManagedObjectID>] = [:]
        var left: [ManagedObjectID: Set<ManagedObjectID>] = [:]

        var owners: Set<ManagedObjectID> { Set(joined.keys).union(left.keys) }
    }

    let model: ManagedObjectModel
    let store: StoreHandle
    private(set) var changes: ChangeSet
    private(set) var insertPlaces: [ManagedObjectID: Int] = [:]
    private(set) var updatePlaces: [ManagedObjectID: Int] = [:]
    private var deleted: Set<ManagedObjectID> = []
    private let plan: DerivationPlan
    private let source: any DerivationSource
    private var stored: [ManagedObjectID: Row?] = [:]
    private var memberships: [RelationshipID: Membership] = [:]

    init(
        _ changes: ChangeSet, plan: DerivationPlan, model: ManagedObjectModel,
        store: StoreHandle, source: any DerivationSource
    ) {
        self.changes = changes
        self.plan = plan
        self.model = model
        self.store = store
        self.source = source
        for (place, row) in changes.inserts.enumerated() { insertPlaces[id(of: row)] = place }
        for (place, update) in changes.updates.enumerated() {
            updatePlaces[id(of: update.row)] = place
        }
        deleted = Set(changes.deletes.map(\.id))
    }

    func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }

    /// Loads the previous versions of changed rows.
    ///
    /// - Parameter version: See ``DerivedAttributes/complete(_:from:withinBatchOf:)``.
    func read(since version: RowVersion?) throws(StoreError) {
        let isBatch = version != nil
        let changed = changes.updates.map { id(of: $0.row) } + changes.deletes.map(\.id)
        let wanted = changed.filter { id in
            guard let place = model.entity(of: id).map({ plan.places[$0.id.index] }) else {
                return false
            }
            return !place.memberships.isEmpty || isBatch && !place.own.isEmpty
        }
        try remember(wanted)
        guard let version else { return }
        for place in changes.updates.indices {
            let update = changes.updates[place]
            guard let row = try newerRow(id(of: update.row), than: update.baseVersion, version)
            else { continue }
            let entity = model[row.entityID]
            var slots = plan.places[entity.id.index].derivedSlots
            for slot in update.changedSlots.slots { slots.remove(slot) }
            changes.updates[place].baseVersion = row.version
            changes.updates[place].row = update.row.replacing(
                slots, with: row, layout: entity.layout)
        }
        for place in changes.deletes.indices {
            let deletion = changes.deletes[place]
            if let row = try newerRow(deletion.id, than: deletion.baseVersion, version) {
                changes.deletes[place].baseVersion = row.version
            }
        }
    }

    /// The row as an earlier part of the batch changed it since it was read; nil if none did.
    private func newerRow(
        _ id: ManagedObjectID, than base: RowVersion, _ version: RowVersion
    ) throws(StoreError) -> Row? {
        guard let entity = model.entity(of: id), !plan.places[entity.id.index].own.isEmpty,
            let row = try storedRow(for: id), row.version != base,
            row.version.rawValue >= version.rawValue
        else { return nil }
        return row
    }

    // MARK: - Rows

    /// The row of an object after the change set; nil if it does not exist.
    func row(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if deleted.contains(id) { return nil }
        if let place = insertPlaces[id] { return changes.inserts[place] }
        if let place = updatePlaces[id] { return changes.updates[place].row }
        return try storedRow(for: id)
    }

    /// The stored row of an object; nil if it does not exist.
    func storedRow(for id: ManagedObjectID) throws(StoreError) -> Row? {
        if insertPlaces[id] != nil { return nil }
        if let known = stored[id] { return known }
        try remember([id])
        return stored[id] ?? nil
    }

    /// Loads stored rows in batches.
    func remember(_ ids: [ManagedObjectID]) throws(StoreError) {
        let unknown = ids.filter { stored[$0] == nil && insertPlaces[$0] == nil }
        if unknown.isEmpty { return }
        for id in unknown { stored.updateValue(nil, forKey: id) }
        let rows = try batches(for: unknown) { (ids) throws(StoreError) in
            try source.rows(for: ids)
        }
        for row in rows.joined() { stored.updateValue(row, forKey: id(of: row)) }
    }

    // MARK: - Relationships

    /// The destinations of a relationship after the change set, or before it for a deleted object.
    func destinations(
        of relationship: Relationship, from id: ManagedObjectID
    ) throws(StoreError) -> [ManagedObjectID] {
        if !relationship.isToMany {
            let row = try deleted.contains(id) ? storedRow(for: id) : row(for: id)
            return row?.destination(of: relationship, in: model, store: store).map { [$0] } ?? []
        }
        var members: Set<ManagedObjectID> = []
        if insertPlaces[id] == nil {
            members = Set(try source.destinations(of: relationship, from: id))
        }
        let membership = try membership(of: relationship)
        if let left = membership.left[id] { members.subtract(left) }
        if let joined = membership.joined[id] { members.formUnion(joined) }
        return members.sorted()
    }

    /// The objects that join and leave a to-many relationship.
    func membership(of relationship: Relationship) throws(StoreError) -> Membership {
        if let known = memberships[relationship.id] { return known }
        let found =
            if case .manyToMany = relationship.storage {
                try pairs(of: relationship)
            } else {
                try references(of: model[relationship.inverse])
            }
        memberships[relationship.id] = found
        return found
    }

    private func references(of toOne: Relationship) throws(StoreError) -> Membership {
        var found = Membership()
        let family = Set(model[toOne.declaringEntity].family)
        func destination(_ row: Row?) -> ManagedObjectID? {
            row?.destination(of: toOne, in: model, store: store)
        }
        func note(_ id: ManagedObjectID, _ before: Row?, _ after: Row?) {
            let (old, new) = (destination(before), destination(after))
            if old == new { return }
            if let old { found.left[old, default: []].insert(id) }
            if let new { found.joined[new, default: []].insert(id) }
        }
        for row in changes.inserts where family.contains(row.entityID) {
            note(id(of: row), nil, row)
        }
        let updates = changes.updates.filter { update in
            family.contains(update.row.entityID)
                && toOne.slot.map { update.changedSlots.contains($0) } ?? false
        }
        let deletes = changes.deletes.map(\.id).filter { id in
            model.entity(of: id).map { family.contains($0.id) } ?? false
        }
        try remember(updates.map { id(of: $0.row) } + deletes)
        for update in updates {
            let id = id(of: update.row)
            note(id, try storedRow(for: id), update.row)
        }
        for id in deletes { note(id, try storedRow(for: id), nil) }
        return found
    }

    private func pairs(of relationship: Relationship) throws(StoreError) -> Membership {
        var found = Membership()
        // If several changes contain a pair, the last one decides. A pair with a deleted object
        // does not exist.
        func note(
            _ owner: ManagedObjectID, _ member: ManagedObjectID, isAdded: Bool
        ) throws(StoreError) {
            if !isAdded {
                found.joined[owner]?.remove(member)
                found.left[owner, default: []].insert(member)
            } else if try row(for: owner) != nil, try row(for: member) != nil {
                found.joined[owner, default: []].insert(member)
            }
        }
        for change in changes.edges {
            let isOwn = change.relationship == relationship.id
            let isBack = change.relationship == relationship.inverse
            if isOwn || isBack {
                try remember(change.added.flatMap { [$0.source, $0.destination] })
            }
            for (edges, isAdded) in [(change.removed, false), (change.added, true)] {
                for edge in edges {
                    if isOwn { try note(edge.source, edge.destination, isAdded: isAdded) }
                    if isBack { try note(edge.destination, edge.source, isAdded: isAdded) }
                }
            }
        }
        let family = Set(model[relationship.destination].family)
        for id in deleted {
            guard let entity = model.entity(of: id), family.contains(entity.id) else { continue }
            for owner in try source.destinations(of: model[relationship.inverse], from: id) {
                try note(owner, id, isAdded: false)
            }
        }
        return found
    }
}
