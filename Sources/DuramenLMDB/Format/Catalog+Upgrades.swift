import DuramenModel
import DuramenStore

extension Catalog {
    /// What becomes of the rows of one schema in the next.
    struct Upgrade: Codable, Equatable {
        /// By the entity's place in the schema; nil for one that is gone.
        var entities: [Move?]
    }

    /// What becomes of the rows of one entity.
    struct Move: Codable, Equatable {
        /// The entity's place in the next schema.
        var entity: Int
        /// By slot of its layout there.
        var sources: [Source]
    }

    /// Where the value of one slot comes from.
    struct Source: Codable, Equatable {
        /// The slot of the row as it was written; nil for a value that is the same for all.
        var slot: Int?
        /// The value, or what stands for null.
        var value: StoredValue?
        /// The types of a value that becomes one of another type.
        var types: [Int16]?
        /// The destination of a to-one, by its place, and the slot with the entity of each
        /// destination.
        var destination: Int?
        var entitySlot: Int?
        /// Whether the slot gets the destination's entity, and not its key.
        var isEntity: Bool?

        var conversion: ValueConversion? {
            guard let types, types.count == 2 else { return nil }
            return ValueConversion(
                from: AttributeType(rawValue: types[0]), to: AttributeType(rawValue: types[1]))
        }
    }

    /// Notes a change of the model. What has a number keeps it, whatever it is called now.
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
        var taken: Set<Int> = []
        let newRoots = change.target.entities.filter { $0.superentity == nil }
        for root in newRoots.sorted(by: { change.keepsRoot($0) && !change.keepsRoot($1) }) {
            let number = change.sourceRoot(of: root).flatMap {
                oldRoots[change.source[$0].name]
            }
            if let number, taken.insert(number).inserted {
                roots[root.name] = number
            } else {
                roots[root.name] = nextRoot
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
    /// Whether a row has other bytes for a value of the other type.
    var changesBytes: Bool {
        guard let before = SlotKind(source), let after = SlotKind(target) else { return true }
        let words: [SlotKind] = [.integer, .boolean]
        if words.contains(before), words.contains(after) { return false }
        if before.isTail, after.isTail, before != .decimal, after != .decimal { return false }
        return !([.double, .float].contains(before) && [.double, .float].contains(after))
    }
}

extension SchemaChange {
    /// Whether a new root has the objects of an old one.
    func keepsRoot(_ root: Entity) -> Bool {
        root.family.contains { id in
            sourceEntities[id.index].map { source[$0].superentity == nil } ?? false
        }
    }

    /// The old root whose table the objects of a new root are in; nil when there are none.
    func sourceRoot(of root: Entity) -> EntityID? {
        root.family.lazy.compactMap { sourceEntities[$0.index] }.first.map { source[$0].root }
    }
}
