import DuramenFileStore
import DuramenModel
import DuramenStore

/// Rows of entities with external storage: in a table, their large values are names of files, and
/// all such values have a tag; see ``ExternalValue``.
struct ExternalRows {
    let schema: StoreSchema

    /// Returns the row as stored in the table.
    ///
    /// - Parameters:
    ///   - row: The new row.
    ///   - place: The tables and slots of its entity.
    ///   - largeValues: The values whose files are written; some may be of the row.
    ///   - old: The row that this one replaces, if it has the current layout.
    ///   - changed: The slots that differ from `old`. The others are copied, so that no file is
    ///     read to change its row.
    func encoded(
        _ row: Row, _ place: StoreSchema.Place, _ largeValues: LargeValues,
        replacing old: PackedRow? = nil, changed: SlotSet = SlotSet()
    ) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        let layout = place.layout
        builder.beginRow(
            entity: row.entityID, slotCount: layout.slotCount, key: row.key, version: row.version)
        for slot in layout.kinds.indices where !row.isNull(slot) {
            if place.externalSlots.contains(slot) {
                if let old, !changed.contains(slot), !old.isNull(slot), let bytes = old.bytes(slot)
                {
                    builder.set(bytes: bytes, at: slot)
                } else {
                    largeValues.encoded(row, slot).withUnsafeBytes {
                        builder.set(bytes: $0, at: slot)
                    }
                }
            } else if layout.kinds[slot].isTail {
                builder.set(bytes: row.unsafeBytes(slot), at: slot)
            } else {
                builder.set(integer: row.integer(slot), at: slot)
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    /// Copies a row of the current layout, with the values of its files.
    ///
    /// - Parameters:
    ///   - row: The stored row.
    ///   - place: The tables and slots of its entity.
    ///   - entity: The entity.
    ///   - readsFiles: If false, values in files are null.
    ///   - builder: Receives the row.
    func append(
        _ row: PackedRow, _ place: StoreSchema.Place, of entity: EntityID, readsFiles: Bool,
        to builder: inout RowBatchBuilder
    ) throws(StoreError) {
        builder.beginRow(
            entity: entity, slotCount: place.layout.slotCount, key: row.key, version: row.version)
        for slot in place.layout.kinds.indices where !row.isNull(slot) {
            if !place.layout.kinds[slot].isTail {
                builder.set(integer: row.integer(slot), at: slot)
            } else if let bytes = row.bytes(slot) {
                if place.externalSlots.contains(slot) {
                    try set(
                        bytes, at: slot, of: entity, key: row.key, readsFiles: readsFiles,
                        in: &builder)
                } else {
                    builder.set(bytes: bytes, at: slot)
                }
            }
        }
        builder.endRow()
    }

    /// Sets a slot to the value in a row or in its file.
    func set(
        _ bytes: UnsafeRawBufferPointer, at slot: Int, of entity: EntityID, key: Int64,
        readsFiles: Bool, in builder: inout RowBatchBuilder
    ) throws(StoreError) {
        let damage: ExternalValueFolder.Damage
        switch ExternalValue(bytes) {
        case .inline(let value): return builder.set(bytes: value, at: slot)
        case .file where !readsFiles: return
        case .file(let name):
            do throws(ExternalValueFolder.Damage) {
                let value = try schema.values.value(name)
                return value.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
            } catch {
                damage = error
            }
            if schema.values.missingIsNull, case .missing = damage { return }
            throw .damagedValue(
                damage, file: name, in: schema.values, slot: slot, of: id(key, entity),
                schema.model[entity])
        case nil:
            throw .damagedValue(
                .altered, file: nil, in: schema.values, slot: slot, of: id(key, entity),
                schema.model[entity])
        }
    }

    private func id(_ key: Int64, _ entity: EntityID) -> ManagedObjectID {
        ManagedObjectID(store: schema.handle, entity: schema.model[entity].handle, key: key)
    }
}
