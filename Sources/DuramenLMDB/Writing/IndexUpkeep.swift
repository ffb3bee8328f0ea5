import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

/// Creates and drops indexes within a write transaction.
struct IndexUpkeep {
    let schema: StoreSchema
    let transaction: Transaction
    /// A flag that ends the work when it is raised.
    var cancellation: CancellationFlag?

    private var meta: MetaTable { MetaTable(transaction: transaction, table: schema.tables.meta) }

    /// Drops unwanted indexes, and creates missing ones; deferred indexes are not changed.
    ///
    /// - Parameter looksAgain: Whether to enforce constraints again if rows no longer share values,
    ///   which takes a pass over their rows.
    /// - Returns: The list of all complete indexes.
    func reconcile(looksAgain: Bool = false) throws(StoreError) -> IndexList {
        var list = try meta.indexList()
        let before = list
        let wanted = Set(
            schema.indexes.flatMap { [$0.signature, $0.unenforcedSignature].compactMap(\.self) })
        for entry in list.entries where !wanted.contains(entry.signature) {
            try drop(entry.number)
        }
        list.entries.removeAll { !wanted.contains($0.signature) }
        for index in schema.indexes where !index.isMadeWhenNeeded {
            if let place = list.place(of: index) {
                if looksAgain, list.isUnenforced(index),
                    try entries(of: index, number: list.entries[place].number).areUnique
                {
                    list.entries[place].signature = index.signature
                }
            } else {
                try build(index, in: &list)
            }
        }
        if list != before { try meta.set(list) }
        return list
    }

    /// Creates indexes that are not listed.
    func make(_ places: [Int]) throws(StoreError) {
        var list = try meta.indexList()
        for place in places {
            let index = schema.indexes[place]
            if list.place(of: index) == nil { try build(index, in: &list) }
        }
        try meta.set(list)
    }

    private func drop(_ number: UInt32) throws(StoreError) {
        var prefix = KeyBuilder()
        prefix.begin(number)
        let start = Array(prefix.bytes)
        let cursor = try transaction.cursor(schema.tables.index)
        var record = try start.withBytes { (start) throws(StoreError) in try cursor.seek(start) }
        while let found = record, found.key.starts(with: start) {
            try cursor.removeCurrent()
            record = try start.withBytes { (start) throws(StoreError) in try cursor.seek(start) }
        }
    }

    /// Adds all rows to an index. A constraint whose values some rows share is not enforced.
    private func build(_ index: StoreIndex, in list: inout IndexList) throws(StoreError) {
        var (entries, areUnique) = try entries(of: index, number: list.add(index))
        if !areUnique, let signature = index.unenforcedSignature {
            list.entries[list.entries.count - 1].signature = signature
        }
        _ = try entries.insert(into: schema.tables.index, transaction) { _, _, _ in false }
    }

    /// The entries of all rows, and whether values that must be unique are.
    private func entries(
        of index: StoreIndex, number: UInt32
    ) throws(StoreError) -> (EntryList, areUnique: Bool) {
        let rows = RowReading(schema: schema, transaction: transaction, readsFiles: false)
        let table = schema.places[index.entity.index].rows
        let family = schema.model[index.entity].family
        let cursor = try transaction.cursor(table)
        var entries = EntryList()
        var key = KeyBuilder()
        var record = try cursor.first()
        while let current = record {
            if let cancellation, cancellation.isCancelled {
                throw StoreError(
                    .cancelled, "The change of '\(schema.path)' was cancelled; nothing was changed."
                )
            }
            if let row = try rows.row(current, in: index.entity), family.contains(row.entityID) {
                key.build(index, number: number, of: row)
                entries.add(key.bytes, isUnique: key.isUnique(index), isCut: key.isCut)
            }
            record = try cursor.next()
        }
        let areUnique = try entries.areUnique { (a, b, isCut) throws(StoreError) in
            try UniqueValues(index: index, rows: rows).areShared(a, b, isCut: isCut)
        }
        return (entries, areUnique)
    }
}

/// Checks whether two rows share values that must be unique.
struct UniqueValues {
    let index: StoreIndex
    let rows: RowReading

    /// - Parameters:
    ///   - a: The key of the first row.
    ///   - b: The key of the second row.
    ///   - isCut: Whether the keys contain only the beginning of the values.
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

    /// Whether the values just built must be unique; null never conflicts.
    func isUnique(_ index: StoreIndex) -> Bool {
        index.isOfConstraint && !hasNull
    }
}
