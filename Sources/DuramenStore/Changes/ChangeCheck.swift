public import DuramenModel

/// Rejects change sets that no context sends, before a store writes anything.
///
/// Rows must have the shape of the model and allocated keys, and IDs must be of the store. Pairs
/// must be of a many-to-many relationship and its entities, and no object may occur twice. The
/// check reads a few words per row. It builds sets of objects only if keys do not ascend, as those
/// of contexts do.
public struct ChangeCheck: Sendable {
    private let model: ManagedObjectModel
    private let store: StoreHandle
    // By entity, so that the check of a row does not look into the model.
    /// Negative for abstract entities, which have no rows.
    private let slotCounts: ContiguousArray<Int>
    private let roots: ContiguousArray<Int>
    private let referenceSlots: ContiguousArray<Int>
    /// Where the slots of each entity start; one more at the end.
    private let referenceStarts: ContiguousArray<Int>

    /// Creates the check of a store's change sets. Create it once per store.
    public init(model: ManagedObjectModel, store: StoreHandle) {
        self.model = model
        self.store = store
        slotCounts = ContiguousArray(
            model.entities.map { $0.isAbstract ? -1 : $0.layout.slotCount })
        roots = ContiguousArray(model.entities.map(\.root.index))
        var starts: ContiguousArray<Int> = [0]
        var slots = ContiguousArray<Int>()
        for entity in model.entities {
            for (slot, kind) in entity.layout.kinds.enumerated() where kind == .reference {
                slots.append(slot)
            }
            starts.append(slots.count)
        }
        referenceStarts = starts
        referenceSlots = slots
    }

    /// Checks a change set.
    ///
    /// - Throws: `.invalidRequest`; the message names the mismatch.
    /// - Complexity: O(*n*) for *n* rows and pairs.
    public func check(_ changes: ChangeSet) throws(StoreError) {
        let (inserts, updates, deletes) = (changes.inserts, changes.updates, changes.deletes)
        // A single row cannot be in the change set twice.
        let isOne = inserts.count + updates.count + deletes.count == 1
        var inserted = KeyRun(inserts.isEmpty || isOne ? 0 : roots.count)
        var updated = KeyRun(updates.isEmpty || isOne ? 0 : roots.count)
        var deleted = KeyRun(deletes.isEmpty || isOne ? 0 : roots.count)
        if let place = misfit(in: inserts, &inserted) { throw refusal(of: inserts[place]) }
        for change in updates where !fits(change.row, &updated) {
            throw refusal(of: change.row)
        }
        for deletion in deletes {
            let entity = try entity(of: deletion.id, "A deletion")
            deleted.add(deletion.id.key, root: entity.root.index)
        }
        inserted.end()
        updated.end()
        deleted.end()
        let isRising = inserted.isRising && updated.isRising && deleted.isRising
        if !isRising || inserted.overlaps(updated) || inserted.overlaps(deleted)
            || updated.overlaps(deleted)
        {
            try checkDifferent(changes)
        }
        for change in changes.edges { try check(change) }
        for check in changes.checks { _ = try entity(of: check.id, "A check") }
    }

    // MARK: - Rows

    private func misfit(in rows: RowList, _ run: inout KeyRun) -> Int? {
        rows.indices.first { rows.withRow(at: $0) { !fits($0, &run) } }
    }

    @inline(__always) private func fits(_ row: borrowing Row, _ run: inout KeyRun) -> Bool {
        let entity = row.entityID.index
        guard entity < slotCounts.count, row.slotCount == slotCounts[entity], row.key > 0 else {
            return false
        }
        for place in referenceStarts[entity]..<referenceStarts[entity + 1] {
            let slot = referenceSlots[place]
            if row.integer(slot) <= 0, !row.isNull(slot) { return false }
        }
        run.add(row.key, root: roots[entity])
        return true
    }

    /// Returns the error for a row that does not fit.
    private func refusal(of row: Row) -> StoreError {
        guard row.entityID.index < model.entities.count else {
            return refusal("A row names an entity that the model does not have.")
        }
        let entity = model[row.entityID]
        if entity.isAbstract {
            return refusal("'\(entity.name)' is abstract; save objects of its sub-entities.")
        }
        if row.slotCount != entity.layout.slotCount {
            return refusal("A row of '\(entity.name)' has another number of slots than its layout.")
        }
        return refusal(
            "A row of '\(entity.name)' has a key that was never allocated, its own or that of a "
                + "to-one; allocate keys before saving.")
    }

    private func checkDifferent(_ changes: ChangeSet) throws(StoreError) {
        var seen = (0..<roots.count).map { _ in Set<Int64>() }
        func note(_ id: ManagedObjectID, _ root: Int) throws(StoreError) {
            if seen[root].insert(id.key).inserted { return }
            throw StoreError(
                .invalidRequest,
                "An object of '\(id.entityName)' occurs twice in one change set; join its changes.",
                objectID: id)
        }
        for row in changes.inserts + changes.updates.map(\.row) {
            try note(row.objectID(in: model, store: store), roots[row.entityID.index])
        }
        for deletion in changes.deletes {
            try note(deletion.id, entity(of: deletion.id, "A deletion").root.index)
        }
    }

    // MARK: - IDs and pairs

    private func entity(
        of id: ManagedObjectID, _ subject: @autoclosure () -> String
    ) throws(StoreError) -> Entity {
        if id.store == store, id.key > 0, let entity = model.entity(of: id) { return entity }
        throw StoreError(
            .invalidRequest,
            "\(subject()) names an object that is not of this store, or has no allocated key.",
            objectID: id)
    }

    private func check(_ change: EdgeChange) throws(StoreError) {
        guard change.relationship.index < model.relationships.count else {
            throw refusal("A pair names a relationship that the model does not have.")
        }
        let relationship = model[change.relationship]
        guard case .manyToMany = relationship.storage else {
            throw refusal(
                "'\(relationship.name)' is not a many-to-many; it is saved with the rows of its to-one."
            )
        }
        let owner = model[relationship.declaringEntity]
        let destination = model[relationship.destination]
        let isInverseOrdered = model[relationship.inverse].isOrdered
        for edges in [change.added, change.removed] {
            for edge in edges {
                if (edge.order != nil && !relationship.isOrdered)
                    || (edge.inverseOrder != nil && !isInverseOrdered)
                {
                    throw refusal(
                        "A pair of '\(relationship.name)' has a number in an order that there is not."
                    )
                }
                if try entity(of: edge.source, "A pair").isKind(of: owner),
                    try entity(of: edge.destination, "A pair").isKind(of: destination)
                {
                    continue
                }
                throw refusal(
                    "A pair of '\(relationship.name)' joins objects of entities that it does not join."
                )
            }
        }
    }

    private func refusal(_ message: String) -> StoreError { StoreError(.invalidRequest, message) }
}

/// The keys of one list of a change set, by hierarchy: whether they ascend, and their range.
private struct KeyRun {
    private(set) var isRising = true
    // 0 for none; keys are positive.
    private var first: ContiguousArray<Int64>
    private var last: ContiguousArray<Int64>
    // Rows of one hierarchy follow each other, so the arrays are rarely accessed.
    private var root = -1
    private var newest: Int64 = 0

    /// - Parameter rootCount: The number of hierarchies; 0 for a list that need not be compared.
    init(_ rootCount: Int) {
        first = ContiguousArray(repeating: 0, count: rootCount)
        last = first
    }

    @inline(__always) mutating func add(_ key: Int64, root: Int) {
        if first.isEmpty { return }
        if root != self.root { turn(to: root, key) }
        if key <= newest { isRising = false }
        newest = key
    }

    @inline(never) private mutating func turn(to root: Int, _ key: Int64) {
        end()
        self.root = root
        newest = last[root]
        if newest == 0 { first[root] = key }
    }

    /// Ends the list, which can be compared with others afterwards.
    mutating func end() {
        if root >= 0 { last[root] = newest }
    }

    /// Whether two ascending lists that have ended may share a key.
    func overlaps(_ other: KeyRun) -> Bool {
        zip(first.indices, other.first.indices).contains { place, _ in
            first[place] > 0 && other.first[place] > 0
                && first[place] <= other.last[place] && other.first[place] <= last[place]
        }
    }
}
