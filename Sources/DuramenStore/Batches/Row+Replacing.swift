public import DuramenModel

extension Row {
    /// Returns this row with other values in some slots.
    ///
    /// - Parameters:
    ///   - slots: The slots to replace.
    ///   - layout: The layout of the row's entity.
    ///   - fill: Sets the slots, which are null before.
    func replacing<Failure: Error>(
        _ slots: SlotSet, layout: RowLayout,
        fill: (inout RowBatchBuilder) throws(Failure) -> Void
    ) throws(Failure) -> Row {
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

    /// Returns this row with the values of another row in some slots.
    ///
    /// - Parameters:
    ///   - slots: The slots to replace.
    ///   - other: A row of the same entity.
    ///   - layout: The layout of the entity.
    public func replacing(_ slots: SlotSet, with other: Row, layout: RowLayout) -> Row {
        replacing(slots, layout: layout) { builder in
            for slot in slots.slots { builder.copy(slot, of: other, layout) }
        }
    }
}
