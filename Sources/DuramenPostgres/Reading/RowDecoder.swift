import DuramenModel
import DuramenSQL
import DuramenStore

/// Copies the rows of a result into a builder, without creating a Swift value for a column.
///
/// Anybody may write to a database, so every length is checked: a value that does not fit its slot
/// is an error that names its column, never a trap.
struct RowDecoder {
    let plan: RowPlan
    let core: StoreCore

    /// Adds the row at an index of a result, unless its entity was not requested.
    func add(
        _ row: Int, of result: ResultSet, to builder: inout RowBatchBuilder
    ) throws(StoreError) {
        guard let key = BinaryValue.int64(result.bytes(row, 0)),
            let number = BinaryValue.int32(result.bytes(row, 1)),
            let version = BinaryValue.int64(result.bytes(row, 2))
        else { throw damaged("id", 0) }
        guard let own = plan.own(Int64(number)) else { return }
        builder.beginRow(
            entity: own.entity, slotCount: own.slotCount, key: key,
            version: RowVersion(rawValue: version))
        for step in own.steps {
            guard let bytes = result.value(row, step.column) else { continue }
            let slot = step.slot
            switch step.kind {
            case .integer, .reference:
                guard let value = BinaryValue.int64(bytes) else { throw damaged(own, step, key) }
                builder.set(integer: value, at: slot)
            case .referenceEntity:
                guard let number = BinaryValue.int32(bytes) else { throw damaged(own, step, key) }
                if let entity = core.schema.entity(number: Int64(number)) {
                    builder.set(integer: Int64(entity.index), at: slot)
                }
            case .boolean:
                guard let value = BinaryValue.bool(bytes) else { throw damaged(own, step, key) }
                builder.set(integer: value ? 1 : 0, at: slot)
            case .double, .date:
                guard let value = BinaryValue.double(bytes), !value.isNaN else {
                    throw damaged(own, step, key)
                }
                builder.set(double: value + 0.0, at: slot)
            case .float:
                guard let value = BinaryValue.float(bytes), !value.isNaN else {
                    throw damaged(own, step, key)
                }
                builder.set(double: Double(value) + 0.0, at: slot)
            case .text, .uri:
                if TextEscaping.isEscaped(bytes) {
                    guard let text = TextEscaping.unescape(bytes) else {
                        throw damaged(own, step, key)
                    }
                    text.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
                } else {
                    builder.set(bytes: bytes, at: slot)
                }
            case .binary, .transformable: builder.set(bytes: bytes, at: slot)
            case .uuid:
                guard bytes.count == 16 else { throw damaged(own, step, key) }
                builder.set(bytes: bytes, at: slot)
            case .decimal:
                guard let value = BinaryValue.decimal(bytes) else { throw damaged(own, step, key) }
                StoredText(value.storedDigits).withUTF8 { builder.set(bytes: $0, at: slot) }
            }
        }
        builder.endRow()
    }

    private func damaged(_ own: RowPlan.Own, _ step: SQLRowColumns.Step, _ key: Int64) -> StoreError
    {
        damaged(
            core.schema.columnMap(slot: step.slot, of: own.entity).name, key,
            ManagedObjectID(
                store: core.schema.store, entity: core.model[own.entity].handle, key: key))
    }

    private func damaged(
        _ column: String, _ key: Int64, _ id: ManagedObjectID? = nil
    ) -> StoreError {
        StoreError(
            .damagedValue,
            "The value in column '\(column)' of row \(key) in table "
                + "'\(core.schema.tables[plan.table].name)' of '\(core.place)' does not fit its "
                + "attribute; another program wrote it. Correct it there.", objectID: id)
    }
}
