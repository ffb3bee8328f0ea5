/// The changes of a store's rows and pairs when its model changes to another version.
///
/// The comparison, all stores and the command-line tool use one pairing. Entities are paired first.
/// Then the properties of each entity are paired, inherited ones too. A property that moves to the
/// parent or to a child is therefore paired like any other.
public struct SchemaChange: Sendable {
    /// The model that the store was written with.
    public let source: ManagedObjectModel
    /// The model that the store has after the migration.
    public let target: ManagedObjectModel
    /// Every difference, with its effect on stores.
    public let changes: [ModelChange]
    /// Pairs of a removed and an added property of one entity that could be a renaming.
    public let suspectedRenamings: [SuspectedRenaming]
    /// The changes of the rows of each entity of the old model; nil if the rows are deleted.
    public let rows: [RowChange?]
    /// The old entity of each entity of the new model; nil for an added entity.
    public let sourceEntities: [EntityID?]
    /// The old relationships of each relationship of the new model; empty for an added
    /// relationship.
    public let sourceRelationships: [[RelationshipID]]
    /// Relationships of the old model whose links must be checked in the store, or are stored
    /// differently.
    public let links: [LinkChange]

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - source: The model that the store was written with.
    ///   - target: The model to which the store is migrated.
    ///   - fills: Values for attributes that are now mandatory and have no default, by
    ///     `Entity.attribute` of the new model.
    public init(
        from source: ManagedObjectModel, to target: ManagedObjectModel,
        fills: [String: StoredValue] = [:]
    ) {
        self.source = source
        self.target = target
        let comparison = DescriptionComparison(from: source.descriptions, to: target.descriptions)
        suspectedRenamings = comparison.suspectedRenamings
        var builder = SchemaChangeBuilder(source, target, fills)
        builder.build()
        rows = builder.rows
        sourceEntities = builder.sourceEntities
        sourceRelationships = builder.sourceRelationships
        links = builder.links
        // A property with an unchanged declaration can be ambiguous in both comparisons.
        let known = Set(comparison.changes)
        changes =
            builder.settle(comparison.changes) + builder.problems.filter { !known.contains($0) }
    }

    /// Whether stores of one version can be opened with the other version.
    public var isEmpty: Bool { source.versionChecksum == target.versionChecksum }

    /// The changes that need a decision first.
    public var unsettled: [ModelChange] { changes.filter(\.isUnsettled) }

    /// Returns the new entity of an entity of the old model; nil if the entity was removed.
    public func targetEntity(_ entity: EntityID) -> EntityID? { rows[entity.index]?.entity }
}

/// The changes of the rows of one entity.
public struct RowChange: Sendable {
    /// The source of a slot's value.
    public enum Source: Sendable, Hashable {
        /// One value for all rows.
        case value(StoredValue)
        /// The value of an old slot, converted; `ifNull` if the old slot is null.
        case slot(Int, ValueConversion?, ifNull: StoredValue)
        /// The key of an old to-one. The entity of its destination is in `entitySlot`, or is
        /// `destination`. The key becomes null if that entity was removed.
        case reference(Int, entitySlot: Int?, destination: EntityID)
        /// The entity of the destination of such a to-one, in the new model.
        case referenceEntity(Int, entitySlot: Int?, destination: EntityID)
        /// The position of the object in an ordered relationship.
        case order(Int)
        /// A derived value, which the store computes after all other values are set.
        case derived(RowChange.Stored)
    }

    /// The value of a derived slot before it is computed.
    public enum Stored: Sendable, Hashable {
        /// The value of an old slot.
        case slot(Int)
        /// A given value.
        case value(StoredValue)
    }

    /// The entity of the rows in the new model.
    public let entity: EntityID
    /// The source of each slot of the new layout.
    public let sources: [Source]

    /// Whether some values are computed after all others are set.
    public var computesValues: Bool {
        sources.contains { if case .derived = $0 { true } else { false } }
    }
}

extension SchemaChange {
    /// A root entity of the new model, and the old root whose table has its objects.
    public struct RootChange: Sendable {
        /// The root in the new model.
        public let root: EntityID
        /// The root in the old model; nil if no table has objects of the root.
        public let source: EntityID?
        /// Whether the old table becomes the new table. Otherwise the objects move to another
        /// table.
        public let keepsTable: Bool
    }

    /// The changes of the tables of hierarchies: one for each new root.
    ///
    /// The first root that takes an old table keeps it. Roots that have an old root's objects
    /// choose first.
    public var roots: [RootChange] {
        func hasOldRoot(_ root: Entity) -> Bool {
            root.family.contains { id in
                sourceEntities[id.index].map { source[$0].superentity == nil } ?? false
            }
        }
        var taken: Set<EntityID> = []
        let roots = target.entities.filter { $0.superentity == nil }
        return (roots.filter(hasOldRoot) + roots.filter { !hasOldRoot($0) }).map { root in
            let old = root.family.lazy.compactMap { sourceEntities[$0.index] }.first
                .map { source[$0].root }
            return RootChange(
                root: root.id, source: old,
                keepsTable: old.map { taken.insert($0).inserted } ?? false)
        }
    }

    /// Returns whether stores of the old version did not enforce a uniqueness constraint.
    public func isNew(_ constraint: UniquenessConstraint) -> Bool {
        let entity = target[constraint.entity]
        guard let id = sourceEntities[entity.id.index], let rows = rows[id.index] else {
            return true
        }
        let old = source[id]
        let slots = constraint.slots.map { slot -> Int? in
            switch rows.sources[slot] {
            case .slot(let slot, _, .null), .reference(let slot, _, _): slot
            default: nil
            }
        }
        let isCovered = entity.family.allSatisfy { member in
            sourceEntities[member.index].map { old.family.contains($0) } ?? true
        }
        return !isCovered
            || !old.uniquenessConstraints.contains { known in
                known.entity == id && Set(known.slots) == Set(slots.compactMap(\.self))
                    && known.slots.count == slots.count
            }
    }
}
