import DuramenModel
import DuramenStore

/// Writes the values of rows in the server's binary form.
struct RowValues {
    /// The largest value.
    static let mostBytes = 256 << 20

    let core: StoreCore

    /// Writes the value of a slot.
    ///
    /// - Returns: The number of bytes of a text or binary value; 0 for other values.
    /// - Throws: `.tooLarge`.
    @inline(__always)
    func append<Sink: BinaryValueSink>(
        _ step: WritePlan.Step, of row: Row, to sink: inout Sink
    ) throws(StoreError) -> Int {
        let slot = step.slot
        if row.isNull(slot) {
            sink.appendNull()
            return 0
        }
        switch step.kind {
        case .integer, .reference: sink.append(bigint: row.integer(slot))
        case .boolean: sink.append(boolean: row.integer(slot) != 0)
        case .double, .date: sink.append(double: row.double(slot))
        case .float: sink.append(real: Float(row.double(slot)))
        case .referenceEntity:
            let index = Int(row.integer(slot))
            if core.schema.entities.indices.contains(index) {
                sink.append(integer: core.schema.entities[index].number)
            } else {
                sink.appendNull()
            }
        case .decimal: sink.append(numeric: row.decimal(slot))
        case .uuid: sink.append(bytes: row.unsafeBytes(slot))
        case .text, .uri:
            let bytes = row.unsafeBytes(slot)
            try check(bytes.count, row, step)
            if TextEscaping.needsEscaping(bytes) {
                TextEscaping.escape(bytes).withUnsafeBytes { sink.append(bytes: $0) }
            } else {
                sink.append(bytes: bytes)
            }
            return bytes.count
        case .binary, .transformable:
            let bytes = row.unsafeBytes(slot)
            try check(bytes.count, row, step)
            sink.append(bytes: bytes)
            return bytes.count
        }
        return 0
    }

    private func check(_ count: Int, _ row: Row, _ step: WritePlan.Step) throws(StoreError) {
        if count <= Self.mostBytes { return }
        throw StoreError(
            .tooLarge,
            "A value for column \(step.column) has \(count) bytes; a PostgreSQL store takes "
                + "\(Self.mostBytes). Keep larger values in files of your own.",
            objectID: row.objectID(in: core.model, store: core.schema.store))
    }
}
