import DuramenModel
import DuramenStore

/// Reads rows of a transaction. Used by one thread at a time.
struct RowReading {
    let schema: StoreSchema
    let transaction: Transaction

    /// Copies the row of an object, when there is one and it is of that entity.
    @inline(__always) func copyRow(
        of id: ManagedObjectID, to builder: inout RowBatchBuilder
    ) throws(StoreError) {
        guard id.store == schema.handle, let entity = schema.model.entity(of: id),
            let record = try transaction.value(
                of: id.key, in: schema.places[entity.id.index].rows)
        else { return }
        let head = try head(record, key: id.key, entity.id)
        if self.entity(of: head) != entity.id { return }
        try copy(head, to: &builder)
    }

    /// The row with a key in the table of an entity; nil when there is none.
    func row(_ key: Int64, in entity: EntityID) throws(StoreError) -> Row? {
        guard let record = try transaction.value(of: key, in: schema.places[entity.index].rows)
        else { return nil }
        return try row(record, key: key, in: entity)
    }

    /// The row at a cursor in the table of an entity; nil when the model has no entity for it.
    func row(_ record: TableCursor.Record, in entity: EntityID) throws(StoreError) -> Row? {
        try row(record.value, key: try key(of: record), in: entity)
    }

    private func row(
        _ record: UnsafeRawBufferPointer, key: Int64, in entity: EntityID
    ) throws(StoreError) -> Row? {
        let head = try head(record, key: key, entity)
        if self.entity(of: head) == nil { return nil }
        var builder = RowBatchBuilder(capacity: record.count)
        try copy(head, to: &builder)
        return builder.finish().first
    }

    /// The primary key of a record in a table of rows.
    @inline(__always) func key(of record: TableCursor.Record) throws(StoreError) -> Int64 {
        guard record.key.count == 8 else {
            throw StoreError(.damagedFile, "A key of '\(schema.path)' is damaged; restore a copy.")
        }
        return record.key.loadUnaligned(as: Int64.self)
    }

    /// Reads a record's head.
    @inline(__always) func head(
        _ record: UnsafeRawBufferPointer, key: Int64, _ entity: EntityID
    ) throws(StoreError) -> RowRecord.Head {
        guard let head = RowRecord.head(record, key: key) else {
            throw schema.damaged(schema.model[entity].name, key: key)
        }
        return head
    }

    /// The present entity of a row; nil when the model has none for it.
    @inline(__always) func entity(of head: RowRecord.Head) -> EntityID? {
        if head.schema == schema.schemaVersion {
            let index = head.row.entityIndex
            return index < schema.places.count ? EntityID(index: index) : nil
        }
        return schema.upgrades.entity(head.row.entityIndex, schema: head.schema)
    }

    /// Copies a row whose entity is known.
    @inline(__always) func copy(
        _ head: RowRecord.Head, to builder: inout RowBatchBuilder
    ) throws(StoreError) {
        if head.schema == schema.schemaVersion {
            if head.row.fits(schema.places[head.row.entityIndex].layout) {
                builder.append(head.row)
                return
            }
        } else if schema.upgrades.append(head.row, schema: head.schema, to: &builder) {
            return
        }
        throw schema.damaged("an entity", key: head.row.key)
    }

    // MARK: - To-manys

    /// The keys behind a prefix of a table of entries, ascending; every entry is its key.
    func keys(
        behind prefix: UnsafeRawBufferPointer, in table: Table
    ) throws(StoreError) -> [Int64] {
        let cursor = try transaction.cursor(table)
        var keys: [Int64] = []
        var record = try cursor.seek(prefix)
        while let found = record, let key = try entryKey(found, prefix) {
            keys.append(key)
            record = try cursor.next()
        }
        return keys
    }

    /// The primary key that ends an entry; nil when the entry begins otherwise.
    @inline(__always) func entryKey(
        _ record: TableCursor.Record, _ prefix: UnsafeRawBufferPointer
    ) throws(StoreError) -> Int64? {
        guard record.key.count >= prefix.count + 8,
            StoredText.compare(
                UnsafeRawBufferPointer(rebasing: record.key[..<prefix.count]), prefix) == 0
        else { return nil }
        return try Self.primaryKey(record, path: schema.path)
    }

    /// The primary key that ends an entry, whose checksum is looked at.
    @inline(__always) static func primaryKey(
        _ record: TableCursor.Record, path: String
    ) throws(StoreError) -> Int64 {
        guard record.key.count >= 12, record.value.count == 4,
            record.value.loadUnaligned(as: UInt32.self) == Checksum.of(record.key)
        else {
            throw StoreError(
                .damagedFile, "An index entry of '\(path)' is damaged; restore a copy.")
        }
        let word = record.key.loadUnaligned(
            fromByteOffset: record.key.count - 8, as: UInt64.self)
        return Int64(bitPattern: UInt64(bigEndian: word))
    }
}
