public import DuramenModel

/// Makes rows of one version of a model rows of another one.
public struct RowTranslation: Sendable {
    private let change: SchemaChange
    private let links: MigrationLinks?

    /// Translates by a change.
    ///
    /// - Parameter links: What to-ones lead to that were kept in another way.
    public init(_ change: SchemaChange, _ links: MigrationLinks? = nil) {
        self.change = change
        self.links = links
    }

    /// Adds what a row becomes; nothing when it goes.
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    public func append(_ row: Row, to builder: inout RowBatchBuilder) -> Bool {
        guard let rows = change.rows[row.entityID.index] else { return false }
        let old = change.source[row.entityID].layout
        let layout = change.target[rows.entity].layout
        builder.beginRow(
            entity: rows.entity, slotCount: layout.slotCount, key: row.key, version: row.version)
        for (slot, source) in rows.sources.enumerated() {
            let kind = layout.kinds[slot]
            switch source {
            case .value(let value), .derived(.value(let value)):
                builder.set(value, at: slot, as: kind)
            case .order(let before):
                if !row.isNull(before) { builder.set(integer: row.integer(before), at: slot) }
            case .derived(.slot(let before)):
                builder.set(row.value(before, old.kinds[before]), at: slot, as: kind)
            case .slot(let before, let conversion, let ifNull):
                let value = row.value(before, old.kinds[before])
                let converted = conversion.map { $0.converted(value) ?? .null } ?? value
                builder.set(converted.isNull ? ifNull : converted, at: slot, as: kind)
            case .reference(let before, let entitySlot, let destination):
                if entity(of: row, before, entitySlot, destination) != nil {
                    builder.set(integer: row.integer(before), at: slot)
                }
            case .referenceEntity(let before, let entitySlot, let destination):
                if let entity = entity(of: row, before, entitySlot, destination) {
                    builder.set(integer: Int64(entity.index), at: slot)
                }
            }
        }
        links?.set(row.key, of: change.target[rows.entity], in: &builder)
        builder.endRow()
        return true
    }

    /// The new entity of a to-one's destination; nil when it leads nowhere.
    private func entity(
        of row: Row, _ slot: Int, _ entitySlot: Int?, _ destination: EntityID
    ) -> EntityID? {
        if row.isNull(slot) { return nil }
        guard let entitySlot else { return change.targetEntity(destination) }
        let place = row.isNull(entitySlot) ? -1 : Int(clamping: row.integer(entitySlot))
        return change.rows.indices.contains(place)
            ? change.targetEntity(EntityID(index: place)) : nil
    }
}
