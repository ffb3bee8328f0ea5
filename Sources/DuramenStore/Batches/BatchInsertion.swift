public import DuramenModel

/// Inserts any number of rows of one entity in one transaction, in the memory of one part.
public struct BatchInsertion {
    /// A row to be inserted.
    public struct NewRow {
        /// The row, whole, with the key that was given.
        public var row: Row
        /// The slots that were given values; the others have what new objects have.
        public var givenSlots: SlotSet
        /// Where its many-to-manys without an order lead.
        public var destinations: [Destination]

        /// Describes a row.
        public init(_ row: Row, givenSlots: SlotSet, destinations: [Destination] = []) {
            self.row = row
            self.givenSlots = givenSlots
            self.destinations = destinations
        }
    }

    /// Where a many-to-many leads.
    public struct Destination: Sendable, Hashable {
        /// The relationship of the row.
        public var relationship: RelationshipID
        /// A stored object.
        public var id: ManagedObjectID

        /// Describes a pair with a row.
        public init(_ relationship: RelationshipID, _ id: ManagedObjectID) {
            self.relationship = relationship
            self.id = id
        }
    }

    /// The treatment of a row whose unique values another row has, in the store or in the batch.
    public enum Repetition: Sendable {
        /// The batch fails with `.uniquenessViolated`.
        case refused
        /// The row is left out.
        case skipped
        /// The given values go to the one that has them.
        case updatesGiven
        /// All values go to the one that has them.
        case replacesAll
    }

    private let entity: EntityID
    private let repetition: Repetition
    private let settings: BatchSettings
    private let makeRow: (Int64, any StoreSnapshot) throws -> NewRow?

    /// Describes a batch.
    ///
    /// - Parameter makeRow: Makes the next row, with the key that it is given; nil at the end. It
    ///   may look at the state before the batch. What it throws ends the batch.
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
    ///   `.cancelled`; what the store and the maker of rows throw. Nothing was written then.
    public func run(on store: any PersistentStore) throws -> BatchOutcome {
        let batching = try store.batchWriting()
        var record = BatchRecord(of: store, keepsObjectIDs: settings.keepsObjectIDs)
        // An error of the application's own, which a store does not know.
        var failure: (any Error)?
        do throws(StoreError) {
            let generation = try batching.writeBatch(settings.heading) {
                transaction throws(StoreError) in
                var keys: Range<Int64> = 0..<0
                var isAtEnd = false
                var firstKey: Int64?
                while !isAtEnd {
                    let rows = try part(transaction, &keys, &isAtEnd, store.model, &failure)
                    firstKey = firstKey ?? rows.first?.row.key
                    var part = InsertionPart(
                        rows, store.model, store.handle, repetition, firstKey: firstKey ?? .max)
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
        _ transaction: any BatchTransaction, _ keys: inout Range<Int64>, _ isAtEnd: inout Bool,
        _ model: ManagedObjectModel, _ failure: inout (any Error)?
    ) throws(StoreError) -> [NewRow] {
        let tails = model[entity].layout.kinds.indices.filter {
            model[entity].layout.kinds[$0].isTail
        }
        var rows: [NewRow] = []
        var bytes = 0
        while rows.count < BatchSettings.rowsPerPart, bytes < BatchSettings.bytesPerPart {
            if keys.isEmpty {
                keys = try transaction.allocateKeys(BatchSettings.rowsPerPart, for: entity)
            }
            do {
                guard let row = try makeRow(keys.lowerBound, transaction.base) else {
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
            keys = keys.dropFirst()
        }
        return rows
    }
}

/// Some rows that are inserted at once, and what becomes of those whose unique values others have.
struct InsertionPart {
    private let model: ManagedObjectModel
    private let store: StoreHandle
    private let repetition: BatchInsertion.Repetition
    /// In the order in which they came, those that gave way too; then the stored ones that are
    /// updated.
    private var order: [ManagedObjectID]
    private var inserts: [ManagedObjectID: BatchInsertion.NewRow] = [:]
    private var updates: [ManagedObjectID: Update] = [:]
    private let rows: [BatchInsertion.NewRow]
    /// The first key of the batch: keys ascend, so that objects of earlier parts have this one or a
    /// later one.
    private let firstKey: Int64

    private struct Update {
        let base: Row
        var row: Row
        var slots: SlotSet
        var destinations: [BatchInsertion.Destination]
    }

    init(
        _ rows: [BatchInsertion.NewRow], _ model: ManagedObjectModel, _ store: StoreHandle,
        _ repetition: BatchInsertion.Repetition, firstKey: Int64
    ) {
        self.firstKey = firstKey
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
                // What the batch inserted is counted.
                if id.key >= firstKey { continue }
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

    /// Has the store write the rows in its own way, where nothing but their number is wanted.
    ///
    /// - Returns: Whether it did.
    private func upsert(
        on transaction: any BatchTransaction, _ record: inout BatchRecord
    ) throws(StoreError) -> Bool {
        let entity = model[rows[0].row.entityID]
        guard record.isOnlyCounted, repetition != .refused,
            entity.uniquenessConstraints.count == 1, entity.family.count == 1,
            // What keeps its place among the members of an owner is settled one by one.
            entity.relationships.allSatisfy({ $0.orderSlot == nil }),
            rows.allSatisfy({ $0.destinations.isEmpty })
        else { return false }
        var counted: Set<Int64> = []
        var start = 0
        while start < rows.count {
            let given = rows[start].givenSlots
            var end = start + 1
            while end < rows.count, repetition != .updatesGiven || rows[end].givenSlots == given {
                end += 1
            }
            let part = RowList(rows[start..<end].lazy.map(\.row))
            let taken = repetition == .skipped ? nil : values(of: rows[start])
            guard let keys = try transaction.upsert(part, taking: taken) else { return false }
            counted.formUnion(keys)
            start = end
        }
        // What earlier parts of the batch inserted is counted.
        let own = rows[0].row.key
        record.noteResults(counted.count { $0 < firstKey || $0 >= own })
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

    /// The pairs of rows with their destinations, each once, from whichever of its ends it was
    /// given.
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

    /// Decides about one conflict. Each decision leaves a row less to be inserted, so that there is
    /// an end.
    private mutating func settle(_ conflict: UniquenessConflict) throws(StoreError) {
        // Of a row that was to be inserted and one that became an update, the former gives way.
        let isTurned = inserts[conflict.id] == nil && inserts[conflict.otherID] != nil
        let (id, other) =
            isTurned ? (conflict.otherID, conflict.id) : (conflict.id, conflict.otherID)
        guard let new = inserts[id] else {
            // An earlier decision may have settled it.
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
                // The other one gave way.
                return
            }
        } else if inserts[other] == nil, conflict.storedRow == nil {
            return
        }
        inserts[id] = nil
    }

    /// The slots that a row gives to another one.
    private func slots(of new: BatchInsertion.NewRow, over row: Row) -> SlotSet {
        var slots = values(of: new)
        // An object keeps its place among the members of an owner that it does not leave, and has
        // none in another one.
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

    /// The slots whose values count: those that were given, or all.
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
