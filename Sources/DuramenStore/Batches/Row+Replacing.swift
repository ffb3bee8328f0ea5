import DuramenModel

extension Row {
    /// The same row with other values in some slots.
    ///
    /// - Parameter fill: Sets the slots, which are null before.
    func replacing(
        _ slots: SlotSet, layout: RowLayout,
        fill: (inout RowBatchBuilder) throws(StoreError) -> Void
    ) throws(StoreError) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entityID, slotCount: layout.slotCount, key: key, version: version)
        for slot in 0..<layout.slotCount where !slots.contains(slot) {
            builder.copy(slot, of: self, layout)
        }
        try fill(&builder)
        builder.endRow()
        return builder.finish()[0]
    }

    /// The same row with the values of another one in some slots.
    func replacing(_ slots: SlotSet, with other: Row, layout: RowLayout) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entityID, slotCount: layout.slotCount, key: key, version: version)
        for slot in 0..<layout.slotCount {
            builder.copy(slot, of: slots.contains(slot) ? other : self, layout)
        }
        builder.endRow()
        return builder.finish()[0]
    }
}

extension RowBatchBuilder {
    /// Copies a slot, unless it is null.
    fileprivate mutating func copy(_ slot: Int, of row: Row, _ layout: RowLayout) {
        if row.isNull(slot) { return }
        if layout.kinds[slot].isTail {
            set(bytes: row.unsafeBytes(slot), at: slot)
        } else {
            set(integer: row.integer(slot), at: slot)
        }
    }
}
