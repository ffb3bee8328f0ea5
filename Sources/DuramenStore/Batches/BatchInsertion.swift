public import DuramenModel

/// Inserts any number of rows of one entity in one transaction, in the memory of one part.
public struct BatchInsertion {
    /// A row to insert.
    public struct NewRow {
        /// The whole row, with the key that was given.
        public var row: Row
        /// The slots that were given values; the others have the values of new objects.
        public var givenSlots: SlotSet
        /// The destinations of its many-to-many relationships without an order.
        public var destinations: [Destination]

        /// Describes a row.
        public init(_ row: Row, givenSlots: SlotSet, destinations: [Destination] = []) {
            self.row = row
            self.givenSlots = givenSlots
            self.destinations = destinations
        }
    }

    /// A destination of a many-to-many relationship.
    public struct Destination: Sendable, Hashable {
        /// The relationship of the new row.
        public var relationship: RelationshipID
        /// A stored object.
        public var id: ManagedObjectID

        /// Describes a pair with the new row.
        public init(_ relationship: RelationshipID, _ id: ManagedObjectID) {
            self.relationship = relationship
            self.id = id
        }
    }

    /// How to treat a row whose unique values are already used, in the store or in the batch.
    public enum Repetition: Sendable {
        /// The batch fails with `.uniquenessViolated`.
        case refused
        /// The row is skipped.
        case skipped
        /// The given values are written to the row that already has the unique values.
        case updatesGiven
        /// All values are written to the row that already has the unique values.
        case replacesAll
    }

    private let entity: EntityID
    private let repetition: Repetition
    private let settings: BatchSettings
    private let makeRow: (Int64, any StoreSnapshot) throws -> NewRow?

    /// Describes a batch that inserts rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - repetition: How to treat a row whose unique values are already used.
    ///   - settings: The settings of the batch.
    ///   - makeRow: Returns the next row, with the given key; nil at the end. It may read the state
    ///     before the batch. Any error that it throws ends the batch.
    public init(
        of entity: EntityID, repetition: Repetition = .refused, _ settings: BatchSettings,
        makeRow: @escaping (Int64, any StoreSnapshot) throws -> NewRow?
    ) {
        self.entity = entity
        self.repetition = repetition
        self.settings = settings
        self.makeRow = makeRow
    }

    /// Inserts the rows.
    ///
    /// - Throws: `.uniquenessViolated`; `.unsupported` when the store writes no batches;
    ///   `.cancelled`; the errors of the store and of `makeRow`. After any error nothing was
    ///   written.
    public func run(on store: any PersistentStore) throws -> BatchOutcome {
        let batching = try store.batchWriting()
        var record = BatchRecord(of: store, keepsObjectIDs: settings.keepsObjectIDs)
        // An error of the application's, which cannot pass through the store.
        var failure: (any Error)?
        do throws(StoreError) {
            let generation = try batching.writeBatch(settings.heading) {
                transaction throws(StoreError) in
                var keys = BatchKeys()
                var isAtEnd = false
                while !isAtEnd {
                    let rows = try part(transaction, &keys, &isAtEnd, store.model, &failure)
                    var part = InsertionPart(
                        rows, store.model, store.handle, repetition, allocated: keys)
                    try part.write(to: transaction, &record)
                    try settings.note(record.outcome.count)
                }
            }
            record.end(generation)
        } catch {
            throw failure ?? error
        }
        return record.outcome
    }

    private func part(
        _ transaction: any BatchTransaction, _ keys: inout BatchKeys, _ isAtEnd: inout Bool,
        _ model: ManagedObjectModel, _ failure: inout (any Error)?
    ) throws(StoreError) -> [NewRow] {
        let tails = model[entity].layout.kinds.indices.filter {
            model[entity].layout.kinds[$0].isTail
        }
        var rows: [NewRow] = []
        var bytes = 0
        while rows.count < BatchSettings.rowsPerPart, bytes < BatchSettings.bytesPerPart {
            if keys.unused.isEmpty {
                keys.add(try transaction.allocateKeys(BatchSettings.rowsPerPart, for: entity))
            }
            do {
                guard let row = try makeRow(keys.unused.lowerBound, transaction.base) else {
                    isAtEnd = true
                    break
                }
                rows.append(row)
                bytes += row.destinations.count * MemoryLayout<EdgeChange.Edge>.stride
                for slot in tails where !row.row.isNull(slot) {
                    bytes += row.row.unsafeBytes(slot).count
                }
            } catch {
                failure = error
                throw StoreError(.cancelled, "No more rows could be made.")
            }
            keys.unused = keys.unused.dropFirst()
        }
        return rows
    }
}

/// Rows that are inserted together, and the treatment of those whose unique values are already
/// used.
struct InsertionPart {
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let repetition: BatchInsertion.Repetition
    /// All rows in their order, including those that were skipped or merged; then the stored rows
    /// that are updated.
    private var order: [ManagedObjectID]
    private var inserts: [ManagedObjectID: BatchInsertion.NewRow] = [:]
    private var updates: [ManagedObjectID: Update] = [:]
    private let rows: [BatchInsertion.NewRow]
    /// The keys of the batch, by which objects of earlier parts are known.
    private let allocated: BatchKeys

    private struct Update {
        let base: Row
        var row: Row
        var slots: SlotSet
        var destinations: [BatchInsertion.Destination]
    }

    init(
        _ rows: [BatchInsertion.NewRow], _ model: ManagedObjectModel, _ store: StoreHandle,
        _ repetition: BatchInsertion.Repetition, allocated: BatchKeys
    ) {
        self.allocated = allocated
        self.model = model
        self.store = store
        self.repetition = repetition
        self.rows = rows
        order = []
    }

    /// Writes the rows.
    mutating func write(
        to transaction: any BatchTransaction, _ record: inout BatchRecord
    ) throws(StoreError) {
        if rows.isEmpty { return }
        if try upsert(on: transaction, &record) { return }
        let edges = edges(
            rows.compactMap { $0.destinations.isEmpty ? nil : (id(of: $0.row), $0.destinations) })
        var conflicts = try transaction.write(
            ChangeSet(inserts: RowList(rows.lazy.map(\.row)), edges: edges))
        if conflicts.isEmpty {
            for row in rows {
                record.noteInsertion(row.row)
                record.noteResult(id(of: row.row))
            }
            record.noteAddition(of: edges)
            return
        }
        order = rows.map { id(of: $0.row) }
        inserts = Dictionary(uniqueKeysWithValues: zip(order, rows))
        while !conflicts.isEmpty {
            for conflict in conflicts { try settle(conflict) }
            conflicts = try transaction.write(changes)
        }
        for id in order {
            if let update = updates[id] {
                // Objects that the batch inserted are already counted.
                if allocated.contains(id.key) { continue }
                record.noteUpdate(of: update.base)
            } else if let insert = inserts[id] {
                record.noteInsertion(insert.row)
            } else {
                continue
            }
            record.noteResult(id)
        }
        record.noteAddition(of: changes.edges)
    }

    /// Lets the store write the rows in its own way, if only their number is needed.
    ///
    /// - Returns: Whether the store did.
    private func upsert(
        on transaction: any BatchTransaction, _ record: inout BatchRecord
    ) throws(StoreError) -> Bool {
        let entity = model[rows[0].row.entityID]
        guard record.isOnlyCounted, repetition != .refused,
            entity.uniquenessConstraints.count == 1, entity.family.count == 1,
            // Order numbers depend on the owner, so such rows are handled one by one.
            entity.relationships.allSatisfy({ $0.orderSlot == nil }),
            rows.allSatisfy({ $0.destinations.isEmpty })
        else { return false }
        let taken: [SlotSet]? =
            switch repetition {
            case .updatesGiven: rows.map(\.givenSlots)
            case .replacesAll: [SlotSet](repeating: values(of: rows[0]), count: rows.count)
            case .refused, .skipped: nil
            }
        guard let keys = try transaction.upsert(RowList(rows.lazy.map(\.row)), taking: taken)
        else { return false }
        // Objects that earlier parts of the batch inserted are already counted.
        let own = Set(rows.map(\.row.key))
        record.noteResults(
            Set(keys).count { own.contains($0) || !allocated.contains($0) })
        return true
    }

    private var changes: ChangeSet {
        ChangeSet(
            inserts: RowList(order.lazy.compactMap { inserts[$0]?.row }),
            updates: order.compactMap { updates[$0] }.map {
                RowUpdate(row: $0.row, baseVersion: $0.base.version, changedSlots: $0.slots)
            },
            edges: edges(
                order.compactMap { id in
                    (inserts[id]?.destinations ?? updates[id]?.destinations).map { (id, $0) }
                }))
    }

    /// The pairs of rows with their destinations, each once, even if both sides give it.
    private func edges(
        _ rows: [(ManagedObjectID, [BatchInsertion.Destination])]
    ) -> [EdgeChange] {
        var pairs: [RelationshipID: Set<EdgeChange.Edge>] = [:]
        for (id, destinations) in rows {
            for destination in destinations {
                let inverse = model[destination.relationship].inverse
                let isSeenFromHere =
                    destination.relationship == inverse
                    ? id <= destination.id : destination.relationship < inverse
                pairs[min(destination.relationship, inverse), default: []].insert(
                    isSeenFromHere
                        ? EdgeChange.Edge(from: id, to: destination.id)
                        : EdgeChange.Edge(from: destination.id, to: id))
            }
        }
        return pairs.sorted { $0.key < $1.key }.map { relationship, pairs in
            EdgeChange(
                relationship: relationship,
                added: pairs.sorted {
                    ($0.source, $0.destination) < ($1.source, $1.destination)
                })
        }
    }

    /// Resolves one conflict. Each resolution removes a row from the inserts, so the loop ends.
    private mutating func settle(_ conflict: UniquenessConflict) throws(StoreError) {
        // Between a row to insert and one that became an update, the row to insert is removed.
        let isTurned = inserts[conflict.id] == nil && inserts[conflict.otherID] != nil
        let (id, other) =
            isTurned ? (conflict.otherID, conflict.id) : (conflict.id, conflict.otherID)
        guard let new = inserts[id] else {
            // An earlier resolution may have removed this conflict.
            if updates[id] == nil { return }
            throw model.uniquenessViolated(conflict)
        }
        if repetition == .refused { throw model.uniquenessViolated(conflict) }
        if repetition != .skipped {
            if let earlier = inserts[other] {
                inserts[other] = BatchInsertion.NewRow(
                    merged(new, into: earlier.row),
                    givenSlots: earlier.givenSlots.union(slots(of: new, over: earlier.row)),
                    destinations: earlier.destinations + new.destinations)
            } else if let update = updates[other] {
                updates[other] = Update(
                    base: update.base, row: merged(new, into: update.row),
                    slots: update.slots.union(slots(of: new, over: update.row)),
                    destinations: update.destinations + new.destinations)
            } else if let stored = conflict.storedRow {
                guard stored.entityID == new.row.entityID else {
                    throw model.uniquenessViolated(conflict)
                }
                updates[other] = Update(
                    base: stored, row: merged(new, into: stored),
                    slots: slots(of: new, over: stored),
                    destinations: new.destinations)
                order.append(other)
            } else {
                // The other row was removed.
                return
            }
        } else if inserts[other] == nil, conflict.storedRow == nil {
            return
        }
        inserts[id] = nil
    }

    /// The slots of another row that a new row overwrites.
    private func slots(of new: BatchInsertion.NewRow, over row: Row) -> SlotSet {
        var slots = values(of: new)
        // An object keeps its order number if it keeps its owner, and loses the number otherwise.
        for relationship in model[row.entityID].relationships {
            guard let order = relationship.orderSlot, let slot = relationship.slot,
                slots.contains(slot)
            else { continue }
            let isSame =
                row.destination(of: relationship, in: model, store: store)
                == new.row.destination(of: relationship, in: model, store: store)
            if isSame { slots.remove(order) } else { slots.insert(order) }
        }
        return slots
    }

    /// The slots whose values are written: the given ones, or all.
    private func values(of new: BatchInsertion.NewRow) -> SlotSet {
        if repetition == .updatesGiven { return new.givenSlots }
        return (0..<new.row.slotCount).reduce(into: SlotSet()) { $0.insert($1) }
    }

    private func merged(_ new: BatchInsertion.NewRow, into row: Row) -> Row {
        let layout = model[row.entityID].layout
        return row.replacing(slots(of: new, over: row), with: new.row, layout: layout)
    }

    private func id(of row: Row) -> ManagedObjectID { row.objectID(in: model, store: store) }
}
