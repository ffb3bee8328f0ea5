import DuramenModel

/// Decodes the encoded values of a store with their types in its new model.
struct EncodedValueCheck {
    let change: SchemaChange
    let store: any PersistentStore
    let path: String

    /// - Throws: `.valuesDoNotFit` when a value does not have its type.
    /// - Complexity: Reads every row with encoded values, and decodes all of them.
    func run() throws(StoreError) {
        let snapshot = try store.snapshot()
        for root in change.source.entities where root.superentity == nil {
            let checks = root.family.map { (entity: $0, attributes: attributes(of: $0)) }
            if checks.allSatisfy(\.attributes.isEmpty) { continue }
            let byEntity = Dictionary(
                checks.map { ($0.entity, $0.attributes) }, uniquingKeysWith: { first, _ in first })
            try StoreWalk(store, snapshot).forEachBatch(of: root) { (rows) throws(StoreError) in
                for row in rows {
                    for (slot, attribute) in byEntity[row.entityID] ?? [] {
                        try check(row, slot, attribute)
                    }
                }
            }
        }
    }

    /// The old slots of encoded values, each with its attribute in the new model.
    private func attributes(of entity: EntityID) -> [(slot: Int, attribute: Attribute)] {
        guard let rows = change.rows[entity.index] else { return [] }
        return change.target[rows.entity].attributes.compactMap { attribute in
            guard attribute.codableType != nil,
                case .slot(let slot, _, _) = rows.sources[attribute.slot]
            else { return nil }
            return (slot, attribute)
        }
    }

    private func check(_ row: Row, _ slot: Int, _ attribute: Attribute) throws(StoreError) {
        guard let type = attribute.codableType,
            case .binary(let data) = row.value(slot, .transformable)
        else { return }
        do throws(CodingFailure) {
            _ = try type.value(of: data)
        } catch {
            let entity = change.source[row.entityID]
            throw StoreError(
                .valuesDoNotFit,
                "The value of '\(entity.name).\(attribute.name)' of the object with key \(row.key) in '\(path)' is not a "
                    + "'\(type.identifier)'. Make the type read what earlier versions wrote, or change the value "
                    + "first. Nothing was changed.",
                objectID: row.objectID(in: change.source, store: store.handle), detail: "\(error)")
        }
    }
}
