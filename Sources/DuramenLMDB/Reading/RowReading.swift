import DuramenModel
import DuramenStore
import Foundation

/// Reads rows of a transaction. Used by one thread at a time.
struct RowReading {
    let schema: StoreSchema
    let transaction: Transaction
    /// Whether values in files are read; otherwise they stay null.
    var readsFiles = true

    /// Returns the row of an object; nil if it does not exist.
    @inline(__always)
    func row(of id: ManagedObjectID, in pool: RowPool? = nil) throws(StoreError) -> Row? {
        guard let head = try head(of: id) else { return nil }
        if isPlain(head) { return pool?.copy(head.row) ?? Row(copying: head.row) }
        var builder = RowBatchBuilder(capacity: head.packed.count)
        try copy(head, to: &builder)
        return builder.finish().first
    }

    /// Returns the rows of objects, in the order of the IDs, without missing ones.
    func batch(
        of ids: [ManagedObjectID], limit: Int = RowAnswerLimit.mostBytes
    ) throws(StoreError) -> RowBatch {
        var builder = RowBatchBuilder(capacity: ids.count * 128)
        for id in ids {
            guard let head = try head(of: id) else { continue }
            try copy(head, to: &builder)
            try builder.check(limit: limit)
        }
        return builder.finish()
    }

    /// The head of an object's record; nil if the entity has no such object.
    @inline(__always) private func head(
        of id: ManagedObjectID
    ) throws(StoreError) -> RowRecord.Head? {
        let index = schema.model.entityIndex(of: id)
        guard id.store == schema.handle, index >= 0 else { return nil }
        let entity = EntityID(index: index)
        guard let record = try transaction.value(of: id.key, in: schema.places[index].rows) else {
            try checkMissing(id.key, in: entity)
            return nil
        }
        let head = try head(record, key: id.key, entity)
        return self.entity(of: head) == entity ? head : nil
    }

    /// Returns the row with a key in the table of an entity; nil if it does not exist.
    func row(_ key: Int64, in entity: EntityID) throws(StoreError) -> Row? {
        guard let record = try transaction.value(of: key, in: schema.places[entity.index].rows)
        else {
            try checkMissing(key, in: entity)
            return nil
        }
        return try row(record, key: key, in: entity)
    }

    /// Checks that a missing row is not stored with a damaged key.
    ///
    /// The engine keeps keys in order, and so does damage that passed the check of the file. So
    /// such a row would be in the missing row's place, and its record contains the true key.
    @inline(never) func checkMissing(_ key: Int64, in entity: EntityID) throws(StoreError) {
        let cursor = try transaction.cursor(schema.places[entity.index].rows)
        let next = try cursor.seek(key)
        if let next { _ = try head(next.value, key: try self.key(of: next), entity) }
        if let last = try next == nil ? cursor.last() : cursor.previous() {
            _ = try head(last.value, key: try self.key(of: last), entity)
        }
    }

    /// The row at a cursor in the table of an entity; nil if the model does not have its entity.
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

    /// Decodes a record's head.
    @inline(__always) func head(
        _ record: UnsafeRawBufferPointer, key: Int64, _ entity: EntityID
    ) throws(StoreError) -> RowRecord.Head {
        guard let head = RowRecord.head(record, key: key) else {
            throw schema.damaged(schema.model[entity].name, key: key)
        }
        return head
    }

    /// The current entity of a row; nil if the model does not have it.
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
        if isPresent(head) {
            if hasExternals(head) { return try copyExternal(head, to: &builder) }
            return builder.append(head.row)
        }
        guard head.schema != schema.schemaVersion, try upgrade(head, to: &builder)
        else { throw schema.damaged("an entity", key: head.row.key) }
    }

    /// The word of a slot of a row whose entity is known, copied only if necessary; nil for null.
    func word(_ slot: Int, of head: RowRecord.Head) throws(StoreError) -> Int64? {
        if isPlain(head) { return head.row.isNull(slot) ? nil : head.row.integer(slot) }
        var builder = RowBatchBuilder(capacity: head.packed.count)
        try copy(head, to: &builder)
        let row = builder.finish()[0]
        return row.isNull(slot) ? nil : row.integer(slot)
    }

    private func copyExternal(
        _ head: RowRecord.Head, to builder: inout RowBatchBuilder
    ) throws(StoreError) {
        let index = head.row.entityIndex
        try ExternalRows(schema: schema).append(
            head.row, schema.places[index], of: EntityID(index: index), readsFiles: readsFiles,
            to: &builder)
    }

    private func upgrade(
        _ head: RowRecord.Head, to builder: inout RowBatchBuilder
    ) throws(StoreError) -> Bool {
        try schema.upgrades.append(head.row, schema: head.schema, to: &builder) {
            (bytes, slot, entity, builder) throws(StoreError) in
            try ExternalRows(schema: schema).set(
                bytes, at: slot, of: entity, key: head.row.key, readsFiles: readsFiles,
                in: &builder)
        }
    }

    /// The names of the files that a record in the table of an entity refers to.
    func fileNames(
        of record: TableCursor.Record, in entity: EntityID
    ) throws(StoreError) -> [UUID] {
        let head = try head(record.value, key: try key(of: record), entity)
        guard let names = schema.upgrades.fileNames(of: head.row, schema: head.schema) else {
            throw schema.damaged(schema.model[entity].name, key: head.row.key)
        }
        return names
    }

    /// Whether a record has the current form of its row, so that it can be read in place.
    @inline(__always) func isPlain(_ head: RowRecord.Head) -> Bool {
        isPresent(head) && !hasExternals(head)
    }

    /// Whether a row of the current schema may refer to files.
    @inline(__always) private func hasExternals(_ head: RowRecord.Head) -> Bool {
        schema.hasExternalSlots && !schema.places[head.row.entityIndex].externalSlots.isEmpty
    }

    /// Whether a row is of the current schema, and sound, so that its bytes can be used unchanged.
    @inline(__always) func isPresent(_ head: RowRecord.Head) -> Bool {
        head.schema == schema.schemaVersion
            && head.row.fits(schema.places[head.row.entityIndex].layout)
    }

    // MARK: - To-manys

    /// The keys after a prefix in a table of entries, ascending; every entry is its key.
    func keys(
        behind prefix: UnsafeRawBufferPointer, in table: Table
    ) throws(StoreError) -> [Int64] {
        let cursor = try transaction.cursor(table)
        var keys: [Int64] = []
        var record = try soundSeek(prefix, cursor)
        while let found = record {
            guard let key = try entryKey(found, prefix) else {
                try check(found)
                break
            }
            keys.append(key)
            record = try cursor.next()
        }
        return keys
    }

    /// Returns the first entry that is not before a key.
    ///
    /// The entry before it is checked too, as is the entry that ends an iteration. Otherwise a
    /// damaged entry just outside of its range would be missing without an error.
    func soundSeek(
        _ key: UnsafeRawBufferPointer, _ cursor: TableCursor
    ) throws(StoreError) -> TableCursor.Record? {
        let first = try cursor.seek(key)
        guard let before = try first == nil ? cursor.last() : cursor.previous() else {
            return first
        }
        try check(before)
        return first == nil ? nil : try cursor.next()
    }

    /// Returns the last entry that is before a key; see ``soundSeek(_:_:)``.
    func soundSeekBefore(
        _ key: UnsafeRawBufferPointer, _ cursor: TableCursor
    ) throws(StoreError) -> TableCursor.Record? {
        guard let first = try cursor.seek(key) else { return try cursor.last() }
        try check(first)
        return try cursor.previous()
    }

    /// Checks the checksum of an entry.
    func check(_ record: TableCursor.Record) throws(StoreError) {
        _ = try Self.primaryKey(record, path: schema.path)
    }

    /// The primary key at the end of an entry; nil if the entry has another prefix.
    @inline(__always) func entryKey(
        _ record: TableCursor.Record, _ prefix: UnsafeRawBufferPointer
    ) throws(StoreError) -> Int64? {
        guard record.key.count >= prefix.count + 8,
            StoredText.compare(
                UnsafeRawBufferPointer(rebasing: record.key[..<prefix.count]), prefix) == 0
        else { return nil }
        return try Self.primaryKey(record, path: schema.path)
    }

    /// The primary key at the end of an entry, whose checksum is checked.
    @inline(__always) static func primaryKey(
        _ record: TableCursor.Record, path: String
    ) throws(StoreError) -> Int64 {
        guard record.key.count >= 12, PairNumber.isSound(record.value, key: record.key) else {
            throw StoreError(
                .damagedFile, "An index entry of '\(path)' is damaged; restore a copy.")
        }
        let word = record.key.loadUnaligned(
            fromByteOffset: record.key.count - 8, as: UInt64.self)
        return Int64(bitPattern: UInt64(bigEndian: word))
    }
}
