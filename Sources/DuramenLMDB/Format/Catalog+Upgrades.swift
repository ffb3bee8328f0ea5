import DuramenModel
import DuramenStore

extension Catalog {
    /// The upgrade of rows from one schema to the next.
    struct Upgrade: Codable, Equatable {
        /// By the entity's index in the schema; nil for a removed entity.
        var entities: [Move?]
    }

    /// The upgrade of the rows of one entity.
    struct Move: Codable, Equatable {
        /// The entity's index in the next schema.
        var entity: Int
        /// By slot of the entity's layout there.
        var sources: [Source]
    }

    /// The source of the value of one slot.
    struct Source: Codable, Equatable {
        /// The slot of the row as it was written; nil for a value that is equal for all rows.
        var slot: Int?
        /// The value for all rows; with a slot, the value for rows with null in the slot.
        var value: StoredValue?
        /// The old and new types of a value whose type changes.
        var types: [Int16]?
        /// The destination of a to-one, by its index, and the slot with the entity of each
        /// destination.
        var destination: Int?
        var entitySlot: Int?
        /// Whether the slot gets the destination's entity instead of its key.
        var isEntity: Bool?

        var conversion: ValueConversion? {
            guard let types, types.count == 2 else { return nil }
            return ValueConversion(
                from: AttributeType(rawValue: types[0]), to: AttributeType(rawValue: types[1]))
        }
    }

    /// Adds a version of the model. Tables and relationships keep their numbers when they are
    /// renamed.
    mutating func migrate(_ change: SchemaChange) {
        upgrades.append(
            Upgrade(
                entities: change.rows.map { rows in
                    rows.map { rows in
                        Move(
                            entity: rows.entity.index, sources: rows.sources.map(Source.init))
                    }
                }))
        let (oldRoots, oldRelationships) = (roots, relationships)
        nextRoot = max(nextRoot ?? 0, (oldRoots.values.max() ?? -1) + 1)
        nextRelationship = max(nextRelationship ?? 0, (oldRelationships.values.max() ?? 0) + 1)
        roots = [:]
        for root in change.roots {
            let name = change.target[root.root].name
            if root.keepsTable, let source = root.source {
                roots[name] = oldRoots[change.source[source].name]
            } else {
                roots[name] = nextRoot
                nextRoot = (nextRoot ?? 0) + 1
            }
        }
        relationships = [:]
        var takenRelationships: Set<UInt32> = []
        for relationship in change.target.relationships {
            guard case .manyToMany = relationship.storage else { continue }
            let numbers = change.sourceRelationships[relationship.id.index].compactMap {
                oldRelationships[Self.name(of: change.source[$0], in: change.source)]
            }
            let name = Self.name(of: relationship, in: change.target)
            if let number = numbers.first(where: { !takenRelationships.contains($0) }) {
                takenRelationships.insert(number)
                relationships[name] = number
            } else {
                relationships[name] = nextRelationship
                nextRelationship = (nextRelationship ?? 0) + 1
            }
        }
        schemas.append(Schema(change.target))
    }
}

extension Catalog.Source {
    init(_ source: RowChange.Source) {
        switch source {
        case .value(let value), .derived(.value(let value)):
            self.value = value.isNull ? nil : value
        case .slot(let slot, let conversion, let ifNull):
            self.slot = slot
            value = ifNull.isNull ? nil : ifNull
            types = conversion.map { [$0.source.rawValue, $0.target.rawValue] }
        case .derived(.slot(let slot)), .order(let slot): self.slot = slot
        case .reference(let slot, let entitySlot, let destination):
            self.slot = slot
            self.entitySlot = entitySlot
            self.destination = destination.index
        case .referenceEntity(let slot, let entitySlot, let destination):
            self.slot = slot
            self.entitySlot = entitySlot
            self.destination = destination.index
            isEntity = true
        }
    }
}

extension ValueConversion {
    /// Whether a value has other bytes in the new type.
    var changesBytes: Bool {
        guard let before = SlotKind(source), let after = SlotKind(target) else { return true }
        let words: [SlotKind] = [.integer, .boolean]
        if words.contains(before), words.contains(after) { return false }
        if before.isTail, after.isTail, before != .decimal, after != .decimal { return false }
        return !([.double, .float].contains(before) && [.double, .float].contains(after))
    }
}
