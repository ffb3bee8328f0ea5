import DuramenFileStore
import DuramenModel
import DuramenStore

/// Writes one change set within a transaction.
///
/// ```
///   rows compared ──► rows inserted, deleted, updated ──► index entries removed
///                 ──► added, unique ones compared ──► pairs
/// ```
/// Index entries are collected first, so that all edits of a change set are simultaneous: values
/// exchanged between rows are free before they are claimed.
struct ChangeWriter: ~Copyable {
    /// Stops the writing without changes.
    enum Stop: Error {
        /// There is a conflict; then all conflicts are searched.
        case conflict
        case failure(StoreError)
    }

    private let schema: StoreSchema
    private let transaction: Transaction
    private let rows: RowReading
    /// The number of each index; nil for those that do not exist.
    private let numbers: [UInt32?]
    private let isUnique: [Bool]
    private let version: RowVersion
    private let largeValues: LargeValues
    private let external: ExternalRows
    private var key = KeyBuilder()
    /// By position of the index.
    private var removed: [EntryList]
    private var added: [EntryList]
    /// The highest keys of inserted rows, by root entity.
    private(set) var highestKeys: [Int: Int64] = [:]
    /// By entity: the existing indexes.
    private let madeIndexes: [[Int]]

    init(
        schema: StoreSchema, transaction: Transaction, numbers: StoreWriter.IndexNumbers,
        version: RowVersion, largeValues: LargeValues
    ) {
        self.largeValues = largeValues
        external = ExternalRows(schema: schema)
        self.schema = schema
        self.transaction = transaction
        self.numbers = numbers.all
        isUnique = numbers.isUnique
        self.version = version
        // The compared values are never in files.
        rows = RowReading(schema: schema, transaction: transaction, readsFiles: false)
        removed = Array(repeating: EntryList(), count: schema.indexes.count)
        added = removed
        madeIndexes = numbers.made
    }

    mutating func write(_ changes: ChangeSet) throws(Stop) {
        for check in changes.checks { try compare(check) }
        try insert(changes.inserts)
        for deletion in changes.deletes { try delete(deletion) }
        try update(changes.updates)
        try writeEntries()
        if changes.edges.isEmpty && changes.deletes.isEmpty { return }
        do throws(StoreError) {
            for change in changes.edges { try write(change) }
            for deletion in changes.deletes { try deletePairs(of: deletion.id) }
        } catch {
            throw .failure(error)
        }
    }

    // MARK: - Rows

    private mutating func insert(_ inserts: RowList) throws(Stop) {
        if inserts.isEmpty { return }
        // Rows of contexts are already in the order of their keys, which one pass detects.
        var start = 0
        let order = order(of: inserts)
        while start < inserts.count {
            let table = table(of: inserts, at: order?[start] ?? start)
            // Ordered rows have one entity.
            var end = order == nil ? inserts.count : start + 1
            while end < inserts.count, self.table(of: inserts, at: order?[end] ?? end) == table {
                end += 1
            }
            do throws(StoreError) {
                try insert(inserts, start..<end, order, into: table)
            } catch {
                throw .failure(error)
            }
            start = end
        }
    }

    private func table(of rows: RowList, at place: Int) -> Table {
        schema.places[rows.entityIndex(at: place)].rows
    }

    /// The order by table and key; nil if the rows have it already.
    private func order(of rows: RowList) -> [Int]? {
        let isOrdered = rows.indices.dropFirst().allSatisfy { place in
            rows.entityIndex(at: place - 1) == rows.entityIndex(at: place)
                && rows.key(at: place - 1) < rows.key(at: place)
        }
        if isOrdered { return nil }
        return rows.indices.sorted { a, b in
            let (first, second) = (table(of: rows, at: a).handle, table(of: rows, at: b).handle)
            return first == second
                ? rows.key(at: a) < rows.key(at: b) : first < second
        }
    }

    private mutating func insert(
        _ inserts: RowList, _ range: Range<Int>, _ order: [Int]?, into table: Table
    ) throws(StoreError) {
        let cursor = try transaction.cursor(table)
        var last = try cursor.last().map { (record) throws(StoreError) in try rows.key(of: record) }
        // Data of an entity is looked up when the entity changes.
        var entity = inserts[order?[range.lowerBound] ?? range.lowerBound].entityID
        var place = schema.places[entity.index]
        var indexes = madeIndexes[entity.index]
        for index in range {
            let index = order?[index] ?? index
            if inserts.entityIndex(at: index) != entity.index {
                entity = inserts[index].entityID
                place = schema.places[entity.index]
                indexes = madeIndexes[entity.index]
            }
            let key = inserts.key(at: index)
            let appends = key > last ?? 0
            let isNew =
                place.externalSlots.isEmpty
                ? try put(inserts, index, place.layout, by: cursor, appends: appends)
                : try put(
                    [external.encoded(inserts[index], place, largeValues)], 0, place.layout,
                    by: cursor, appends: appends)
            if !isNew { throw keyInUse(inserts[index]) }
            if appends { last = key }
            if indexes.isEmpty { continue }
            let row = inserts[index]
            for index in indexes { add(row, to: index) }
        }
        let end = range.upperBound - 1
        let highest = inserts.key(at: order?[end] ?? end)
        let root = schema.roots[entity.index]
        highestKeys[root] = max(highestKeys[root] ?? highest, highest)
    }

    /// Writes a new row in the table's form, without retaining it.
    ///
    /// - Returns: False if the key is in use.
    @inline(__always) private func put(
        _ list: RowList, _ index: Int, _ layout: RowLayout, by cursor: TableCursor, appends: Bool
    ) throws(StoreError) -> Bool {
        let count = list.withRow(at: index) { RowRecord.byteCount($0, layout) }
        let key = list.key(at: index)
        guard let memory = try cursor.reserve(count, for: key, appends: appends) else {
            return false
        }
        list.withRow(at: index) { write($0, layout, to: memory) }
        return true
    }

    /// Writes a row over the row with its key.
    private func overwrite(
        _ row: Row, _ layout: RowLayout, by cursor: TableCursor
    ) throws(StoreError) {
        let count = RowRecord.byteCount(row, layout)
        if let memory = try cursor.reserve(count, for: row.key, overwrites: true) {
            write(row, layout, to: memory)
        }
    }

    @inline(__always) private func write(
        _ row: Row, _ layout: RowLayout, to memory: UnsafeMutableRawBufferPointer
    ) {
        RowRecord.write(
            row, layout, version: version, schema: schema.schemaVersion, to: memory)
    }

    private func keyInUse(_ row: Row) -> StoreError {
        StoreError(
            .invalidRequest,
            "An object of '\(schema.model[row.entityID].name)' is inserted under a key that is in use; "
                + "allocate a key for it.",
            objectID: row.objectID(in: schema.model, store: schema.handle))
    }

    private func compare(_ check: RowCheck) throws(Stop) {
        guard let entity = schema.model.entity(of: check.id) else { throw .conflict }
        let isSame: Bool
        do throws(StoreError) {
            let record = try transaction.value(
                of: check.id.key, in: schema.places[entity.id.index].rows)
            isSame = try base(record, check.id.key, entity.id, check.baseVersion) != nil
        } catch {
            throw .failure(error)
        }
        if !isSame { throw .conflict }
    }

    private mutating func delete(_ deletion: RowDeletion) throws(Stop) {
        guard let entity = schema.model.entity(of: deletion.id) else { throw .conflict }
        let place = schema.places[entity.id.index]
        do throws(StoreError) {
            let record = try transaction.value(of: deletion.id.key, in: place.rows)
            if let old = try base(record, deletion.id.key, entity.id, deletion.baseVersion) {
                let indexes = madeIndexes[entity.id.index]
                if !indexes.isEmpty {
                    let row = try copy(old)
                    for index in indexes { remove(row, from: index) }
                }
                try transaction.remove(deletion.id.key, from: place.rows)
                return
            }
        } catch {
            throw .failure(error)
        }
        throw .conflict
    }

    private mutating func update(_ updates: [RowUpdate]) throws(Stop) {
        // One cursor for each table, by root entity: neighbours are found in its current page.
        var cursors = [TableCursor?](repeating: nil, count: schema.places.count)
        for update in updates {
            let entity = update.row.entityID.index
            let root = schema.roots[entity]
            do throws(StoreError) {
                if cursors[root] == nil {
                    cursors[root] = try transaction.cursor(schema.places[entity].rows)
                }
                if let cursor = cursors[root], try self.update(update, by: cursor) { continue }
            } catch {
                throw .failure(error)
            }
            throw .conflict
        }
    }

    /// Writes a changed row.
    ///
    /// - Returns: False if the stored row is not the one that the change is based on.
    private mutating func update(
        _ update: RowUpdate, by cursor: TableCursor
    ) throws(StoreError) -> Bool {
        let row = update.row
        let place = schema.places[row.entityID.index]
        guard
            let old = try base(
                try cursor.find(row.key)?.value, row.key, row.entityID, update.baseVersion)
        else { return false }
        let touched = madeIndexes[row.entityID.index].filter { index in
            schema.indexes[index].parts.contains {
                update.changedSlots.contains($0.slot(in: row.entityID))
            }
        }
        if !touched.isEmpty {
            let oldRow = try copy(old)
            for index in touched {
                remove(oldRow, from: index)
                add(row, to: index)
            }
        }
        let stored =
            place.externalSlots.isEmpty
            ? row
            : external.encoded(
                row, place, largeValues, replacing: rows.isPresent(old) ? old.row : nil,
                changed: update.changedSlots)
        try overwrite(stored, place.layout, by: cursor)
        return true
    }

    /// The stored record on which a change is based; nil if it was changed or deleted.
    private func base(
        _ record: UnsafeRawBufferPointer?, _ key: Int64, _ entity: EntityID, _ version: RowVersion
    ) throws(StoreError) -> RowRecord.Head? {
        guard let record else { return nil }
        let head = try rows.head(record, key: key, entity)
        return rows.entity(of: head) == entity && head.row.version == version ? head : nil
    }

    private func copy(_ head: RowRecord.Head) throws(StoreError) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        try rows.copy(head, to: &builder)
        // The builder has one row.
        return builder.finish()[0]
    }

    // MARK: - Indexes

    @inline(__always) private mutating func add(_ row: Row, to place: Int) {
        guard let number = numbers[place] else { return }
        key.build(schema.indexes[place], number: number, of: row)
        added[place].add(
            key.bytes, isUnique: isUnique[place] && !key.hasNull, isCut: key.isCut)
    }

    private mutating func remove(_ row: Row, from place: Int) {
        guard let number = numbers[place] else { return }
        key.build(schema.indexes[place], number: number, of: row)
        removed[place].add(key.bytes)
    }

    private mutating func writeEntries() throws(Stop) {
        var isUnique = true
        do throws(StoreError) {
            for place in schema.indexes.indices {
                try removed[place].remove(from: schema.tables.index, transaction)
            }
            let rows = rows
            for place in schema.indexes.indices where isUnique {
                let values = UniqueValues(index: schema.indexes[place], rows: rows)
                isUnique = try added[place].insert(into: schema.tables.index, transaction) {
                    (a, b, isCut) throws(StoreError) in
                    try values.areShared(a, b, isCut: isCut)
                }
            }
        } catch {
            throw .failure(error)
        }
        if !isUnique { throw .conflict }
    }

    // MARK: - Pairs

    private mutating func write(_ change: EdgeChange) throws(StoreError) {
        var added = EntryList()
        var removed = EntryList()
        for edge in change.removed {
            enter(change.relationship, edge.source.key, edge.destination.key, in: &removed)
        }
        for edge in change.added {
            enter(change.relationship, edge.source.key, edge.destination.key, in: &added)
        }
        try removed.remove(from: schema.tables.edges, transaction)
        _ = try added.insert(into: schema.tables.edges, transaction) { (_, _, _) in false }
        let inverse = schema.model[change.relationship].inverse
        for edge in change.added {
            let (source, destination) = (edge.source.key, edge.destination.key)
            if let order = edge.order {
                try number(change.relationship, source, destination, order)
            }
            if let order = edge.inverseOrder { try number(inverse, destination, source, order) }
        }
    }

    /// Sets the number of a pair in one direction.
    private mutating func number(
        _ relationship: RelationshipID, _ source: Int64, _ destination: Int64, _ order: Int64
    ) throws(StoreError) {
        key.begin(schema.numbers.relationships[relationship.index])
        key.append(key: source)
        key.append(key: destination)
        try PairNumber.put(order, for: key.bytes, in: schema.tables.edges, transaction)
    }

    /// Adds a pair in both directions.
    private mutating func enter(
        _ relationship: RelationshipID, _ source: Int64, _ destination: Int64,
        in list: inout EntryList
    ) {
        key.begin(schema.numbers.relationships[relationship.index])
        key.append(key: source)
        key.append(key: destination)
        list.add(key.bytes)
        key.begin(schema.numbers.relationships[schema.model[relationship].inverse.index])
        key.append(key: destination)
        key.append(key: source)
        list.add(key.bytes)
    }

    private mutating func deletePairs(of id: ManagedObjectID) throws(StoreError) {
        guard let place = schema.place(of: id) else { return }
        for relationship in place.pairs {
            key.begin(schema.numbers.relationships[relationship.index])
            key.append(key: id.key)
            let others = try rows.keys(behind: key.bytes, in: schema.tables.edges)
            if others.isEmpty { continue }
            var removed = EntryList()
            for other in others { enter(relationship, id.key, other, in: &removed) }
            try removed.remove(from: schema.tables.edges, transaction)
        }
    }
}
