public import DuramenModel

/// Translates rows of one version of a model to another version.
public struct RowTranslation: Sendable {
    private let change: SchemaChange
    private let links: MigrationLinks?

    /// Creates a translation for a change.
    ///
    /// - Parameters:
    ///   - change: The change of the model.
    ///   - links: The destinations of to-ones that were stored differently.
    public init(_ change: SchemaChange, _ links: MigrationLinks? = nil) {
        self.change = change
        self.links = links
    }

    /// Appends the new form of a row, unless its entity is removed.
    ///
    /// - Returns: Whether a row was appended.
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

    /// The new entity of a to-one's destination; nil for none.
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
