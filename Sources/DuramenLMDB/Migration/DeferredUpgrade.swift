import DuramenFileStore
import DuramenModel
import DuramenQuery
import DuramenStore

/// Converts the rows that an earlier model wrote. Until then each row is converted whenever it is
/// read.
///
/// It works in pieces, each a separate transaction. Every row records the model that it was written
/// with, so readers accept both forms. An interrupted piece leaves no changes.
struct DeferredUpgrade {
    let schema: StoreSchema
    let transaction: Transaction

    /// The largest numbers of rows and bytes that a piece writes, and of rows that it reads.
    private static let rows = 10_000
    private static let bytes = 8 << 20
    private static let looks = 200_000

    /// The position at which the next piece starts.
    struct Place {
        /// The index of the root entity in the model.
        var root = 0
        /// Whether a row was left unchanged, because one of its values cannot be read.
        var leftRows = false
        // The engine orders keys as unsigned numbers.
        var key: Int64 = 0
    }

    /// Whether a catalog says that unconverted rows may exist.
    static func isDue(_ catalog: Catalog) -> Bool {
        catalog.schemas.count - 1 > catalog.upgradedThrough ?? 0
    }

    /// Writes one piece.
    ///
    /// - Parameter place: The start of the piece, and afterwards that of the next one; nil once all
    ///   rows are converted.
    /// - Returns: The number of written rows.
    func run(from place: inout Place?) throws(StoreError) -> Int {
        guard var next = place else { return 0 }
        let model = schema.model
        let reading = RowReading(schema: schema, transaction: transaction, readsFiles: false)
        var looks = 0
        while next.root < model.entities.count {
            let entity = model.entities[next.root]
            guard entity.superentity == nil else {
                next.root += 1
                continue
            }
            let table = schema.places[entity.id.index].rows
            var upgraded: [Row] = []
            var size = 0
            let cursor = try transaction.cursor(table)
            var record = try cursor.seek(next.key)
            while let found = record, upgraded.count < Self.rows, size < Self.bytes,
                looks < Self.looks
            {
                looks += 1
                next.key = try reading.key(of: found)
                let head = try reading.head(found.value, key: next.key, entity.id)
                if head.schema != schema.schemaVersion, reading.entity(of: head) != nil {
                    do throws(StoreError) {
                        upgraded.append(try row(head))
                        size += found.value.count
                    } catch {
                        // The error is reported when the row is read.
                        if error.code != .damagedValue { throw error }
                        next.leftRows = true
                    }
                }
                record = try cursor.next()
            }
            for row in upgraded { try write(row, to: table) }
            if record == nil { next = Place(root: next.root + 1, leftRows: next.leftRows) }
            if !upgraded.isEmpty || looks >= Self.looks {
                place = next
                return upgraded.count
            }
        }
        place = nil
        if next.leftRows { return 0 }
        let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
        if var catalog = try meta.catalog() {
            catalog.upgradedThrough = Int(schema.schemaVersion)
            try meta.set(catalog)
        }
        return 0
    }

    /// A row in the form of the current model's table: with names of files, and tags.
    private func row(_ head: RowRecord.Head) throws(StoreError) -> Row {
        var builder = RowBatchBuilder(capacity: head.packed.count)
        var tagged = SlotSet()
        let external = ExternalRows(schema: schema)
        let isSound = try schema.upgrades.append(head.row, schema: head.schema, to: &builder) {
            (bytes, slot, entity, builder) throws(StoreError) in
            if schema.places[entity.index].externalSlots.contains(slot) {
                builder.set(bytes: bytes, at: slot)
                tagged.insert(slot)
            } else {
                try external.set(
                    bytes, at: slot, of: entity, key: head.row.key, readsFiles: true, in: &builder)
            }
        }
        guard isSound, let row = builder.finish().first else {
            throw schema.damaged("an entity", key: head.row.key)
        }
        let place = schema.places[row.entityID.index]
        let untagged = place.externalSlots.filter { !tagged.contains($0) && !row.isNull($0) }
        return untagged.isEmpty ? row : tag(row, untagged, place.layout)
    }

    /// Adds tags to values that had none before.
    private func tag(_ row: Row, _ slots: [Int], _ layout: RowLayout) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: row.version)
        for slot in layout.kinds.indices {
            if slots.contains(slot) {
                let value = ExternalValue.inline(copying: row.unsafeBytes(slot))
                value.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
            } else {
                builder.copy(slot, of: row, layout)
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    private func write(_ row: Row, to table: Table) throws(StoreError) {
        let layout = schema.places[row.entityID.index].layout
        let count = RowRecord.byteCount(row, layout)
        let cursor = try transaction.cursor(table)
        guard let memory = try cursor.reserve(count, for: row.key, overwrites: true) else { return }
        // The version is kept, because the object has not changed.
        RowRecord.write(
            row, layout, version: row.version, schema: schema.schemaVersion, to: memory)
    }
}

extension StoreWriter {
    /// Converts all rows that an earlier model wrote. The work is done in several transactions, and
    /// others may write between two of them.
    ///
    /// - Returns: The number of written rows.
    func finishMigration(_ cancellation: CancellationFlag?) throws(StoreError) -> Int {
        var count = 0
        var place: DeferredUpgrade.Place? = DeferredUpgrade.Place()
        while place != nil {
            if let cancellation, cancellation.isCancelled {
                throw StoreError(
                    .cancelled,
                    "Rows of '\(schema.path)' are left that are upgraded when they are read.")
            }
            let (written, next) = try alone { () throws(StoreError) in
                try transaction {
                    (transaction) throws(StoreError) -> (Int, DeferredUpgrade.Place?)? in
                    let meta = MetaTable(transaction: transaction, table: schema.tables.meta)
                    guard let catalog = try meta.catalog(), DeferredUpgrade.isDue(catalog),
                        catalog.schemas.count - 1 == Int(schema.schemaVersion)
                    else { return (0, nil) }
                    var next = place
                    let written = try DeferredUpgrade(schema: schema, transaction: transaction)
                        .run(from: &next)
                    return (written, next)
                } ?? (0, nil)
            }
            count += written
            place = next
        }
        return count
    }
}
