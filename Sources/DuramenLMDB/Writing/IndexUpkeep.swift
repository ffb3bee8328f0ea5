import DuramenModel
import DuramenStore

/// Makes and drops indexes within a transaction that writes.
struct IndexUpkeep {
    let schema: StoreSchema
    let transaction: Transaction

    private var meta: MetaTable { MetaTable(transaction: transaction, table: schema.meta) }

    /// Drops what is listed and not wanted, and makes what is wanted and not listed; those made when they are
    /// needed stay as they are.
    ///
    /// - Returns: The number of each wanted index; nil for those that are not made.
    func reconcile() throws(StoreError) -> [UInt32?] {
        var list = try meta.indexList()
        let before = list
        let wanted = Set(schema.indexes.map(\.signature))
        for entry in list.entries where !wanted.contains(entry.signature) {
            try drop(entry.number)
        }
        list.entries.removeAll { !wanted.contains($0.signature) }
        for index in schema.indexes where !index.isMadeWhenNeeded {
            if !list.entries.contains(where: { $0.signature == index.signature }) {
                try build(index, number: list.add(index))
            }
        }
        if list != before { try meta.set(list) }
        return list.numbers(of: schema.indexes)
    }

    /// Makes indexes that are not listed.
    func make(_ places: [Int]) throws(StoreError) {
        var list = try meta.indexList()
        for place in places {
            let index = schema.indexes[place]
            if list.entries.contains(where: { $0.signature == index.signature }) { continue }
            try build(index, number: list.add(index))
        }
        try meta.set(list)
    }

    private func drop(_ number: UInt32) throws(StoreError) {
        var prefix = KeyBuilder()
        prefix.begin(number)
        let start = Array(prefix.bytes)
        let cursor = try transaction.cursor(schema.index)
        var record = try start.withBytes { (start) throws(StoreError) in try cursor.seek(start) }
        while let found = record, found.key.starts(with: start) {
            try cursor.removeCurrent()
            record = try start.withBytes { (start) throws(StoreError) in try cursor.seek(start) }
        }
    }

    /// Enters all rows.
    ///
    /// - Throws: `.invalidRequest` when rows share values that a new constraint wants to occur once.
    private func build(_ index: StoreIndex, number: UInt32) throws(StoreError) {
        let rows = RowReading(schema: schema, transaction: transaction, readsFiles: false)
        let table = schema.places[index.entity.index].rows
        let family = schema.model[index.entity].family
        let cursor = try transaction.cursor(table)
        var entries = EntryList()
        var key = KeyBuilder()
        var record = try cursor.first()
        while let current = record {
            if let row = try rows.row(current, in: index.entity), family.contains(row.entityID) {
                key.build(index, number: number, of: row)
                entries.add(key.bytes, isUnique: key.isUnique(index), isCut: key.isCut)
            }
            record = try cursor.next()
        }
        let isUnique = try entries.insert(into: schema.index, transaction) {
            (a, b, isCut) throws(StoreError) in
            try UniqueValues(index: index, rows: rows).areShared(a, b, isCut: isCut)
        }
        if !isUnique {
            let names = index.parts.map(\.name).joined(separator: ", ")
            throw StoreError(
                .incompatibleModel,
                "Objects of '\(schema.model[index.entity].name)' in '\(schema.path)' share values of "
                    + "\(names), which the model wants to occur once; change them first.")
        }
    }
}

/// Tells whether two rows share values that may occur once.
struct UniqueValues {
    let index: StoreIndex
    let rows: RowReading

    /// - Parameter isCut: Whether the keys are equal only as far as they go.
    func areShared(_ a: Int64, _ b: Int64, isCut: Bool) throws(StoreError) -> Bool {
        if !isCut { return true }
        guard let first = try rows.row(a, in: index.entity),
            let second = try rows.row(b, in: index.entity)
        else { return false }
        return index.parts.allSatisfy { first.hasSameValue($0.slot, $0.kind, as: second) }
    }
}

extension KeyBuilder {
    /// Builds the key of a row in an index.
    @inline(__always)
    mutating func build(_ index: StoreIndex, number: UInt32, of row: Row) {
        begin(number)
        for part in index.parts { append(row, part.slot(in: row.entityID), part.kind) }
        append(key: row.key)
    }

    /// Whether the values just built may occur once only; null never conflicts.
    func isUnique(_ index: StoreIndex) -> Bool {
        if case .uniqueness = index.purpose { !hasNull } else { false }
    }
}
