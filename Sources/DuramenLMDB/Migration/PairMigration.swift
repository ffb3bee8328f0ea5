import DuramenModel
import DuramenStore

/// Migrates the pairs of a store to another version of its model.
struct PairMigration {
    let transaction: Transaction
    let change: SchemaChange
    let old: StoreSchema
    let new: StoreSchema

    /// A pair in one direction, with its number there.
    private struct Entry {
        var source: Int64
        var destination: Int64
        var order: Int64?
    }

    /// Creates pairs from references of to-ones.
    func enterReferences() throws(StoreError) {
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            for id in change.sourceRelationships[relationship.id.index] {
                let before = change.source[id]
                guard before.slot != nil else { continue }
                try enter(before, as: relationship)
            }
        }
    }

    private func enter(
        _ toOne: Relationship, as relationship: Relationship
    ) throws(StoreError) {
        let rows = RowReading(schema: old, transaction: transaction, readsFiles: false)
        let owner = change.source[toOne.declaringEntity]
        var forth: [Entry] = []
        var back: [Entry] = []
        let inverse = change.target[relationship.inverse]
        let cursor = try transaction.cursor(old.places[owner.id.index].rows)
        var record = try cursor.first()
        while let found = record {
            if let row = try rows.row(found, in: owner.id),
                let own = change.source[row.entityID].relationship(toOne.id), let slot = own.slot,
                !row.isNull(slot), leads(row, own)
            {
                let order = own.orderSlot.flatMap { row.isNull($0) ? nil : row.integer($0) }
                let destination = row.integer(slot)
                forth.append(Entry(source: row.key, destination: destination))
                back.append(
                    Entry(
                        source: destination, destination: row.key,
                        order: inverse.isOrdered ? order : nil))
            }
            record = try cursor.next()
        }
        try insert(forth, number(relationship))
        try insert(back, number(inverse))
    }

    /// Whether both objects are kept.
    private func leads(_ row: Row, _ toOne: Relationship) -> Bool {
        guard change.targetEntity(row.entityID) != nil else { return false }
        guard case .toOne(_, let entitySlot) = toOne.storage, let entitySlot else {
            return change.targetEntity(toOne.destination) != nil
        }
        if row.isNull(entitySlot) { return false }
        let place = Int(clamping: row.integer(entitySlot))
        return change.rows.indices.contains(place) && change.rows[place] != nil
    }

    private func number(_ relationship: Relationship) -> UInt32 {
        new.numbers.relationships[relationship.id.index]
    }

    private func insert(_ entries: [Entry], _ number: UInt32) throws(StoreError) {
        var list = EntryList()
        var key = KeyBuilder()
        for entry in entries {
            key.begin(number)
            key.append(key: entry.source)
            key.append(key: entry.destination)
            list.add(key.bytes)
        }
        _ = try list.insert(into: new.tables.edges, transaction) { (_, _, _) in false }
        for entry in entries {
            guard let order = entry.order else { continue }
            key.begin(number)
            key.append(key: entry.source)
            key.append(key: entry.destination)
            try PairNumber.put(order, for: key.bytes, in: new.tables.edges, transaction)
        }
    }

    /// Deletes the pairs of removed relationships and objects, and the numbers of removed orders.
    ///
    /// - Parameter gone: The keys of the removed objects, by old root.
    func keep(without gone: [EntityID: Set<Int64>]) throws(StoreError) {
        try copyMerged()
        let kept = Set(
            change.target.relationships.map { new.numbers.relationships[$0.id.index] })
        for relationship in change.source.relationships {
            let number = old.numbers.relationships[relationship.id.index]
            if number == 0 { continue }
            if !kept.contains(number) {
                try rewrite(number) { _, _ in .removed }
                continue
            }
            let sources = gone[change.source[relationship.declaringEntity].root] ?? []
            let destinations = gone[change.source[relationship.destination].root] ?? []
            let heir = change.target.relationships.first {
                new.numbers.relationships[$0.id.index] == number
            }
            let losesOrder = relationship.isOrdered && heir?.isOrdered == false
            if sources.isEmpty, destinations.isEmpty, !losesOrder { continue }
            try rewrite(number) { source, destination in
                if sources.contains(source) || destinations.contains(destination) {
                    return .removed
                }
                return losesOrder ? .withoutNumber : .kept
            }
        }
    }

    /// Copies the pairs of merged relationships.
    private func copyMerged() throws(StoreError) {
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            let numbers = change.sourceRelationships[relationship.id.index]
                .map { old.numbers.relationships[$0.index] }
            for number in numbers where number != 0 && number != self.number(relationship) {
                var entries: [Entry] = []
                try pairs.forEachPair(of: number) { source, destination, order in
                    entries.append(
                        Entry(
                            source: source, destination: destination,
                            order: relationship.isOrdered ? order : nil))
                }
                try insert(entries, self.number(relationship))
            }
        }
    }

    private enum Fate { case kept, removed, withoutNumber }

    private var pairs: PairWalk { PairWalk(transaction: transaction, edges: old.tables.edges) }

    /// Decides about every pair of one direction.
    private func rewrite(
        _ number: UInt32, _ fate: (Int64, Int64) -> Fate
    ) throws(StoreError) {
        var removed: [Entry] = []
        var plain: [Entry] = []
        try pairs.forEachPair(of: number) { source, destination, order in
            let entry = Entry(source: source, destination: destination)
            switch fate(source, destination) {
            case .kept: break
            case .removed: removed.append(entry)
            case .withoutNumber: if order != nil { plain.append(entry) }
            }
        }
        var list = EntryList()
        var key = KeyBuilder()
        for entry in removed + plain {
            key.begin(number)
            key.append(key: entry.source)
            key.append(key: entry.destination)
            list.add(key.bytes)
        }
        try list.remove(from: old.tables.edges, transaction)
        try insert(plain, number)
    }
}
