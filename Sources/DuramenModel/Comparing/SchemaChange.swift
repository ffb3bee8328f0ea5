/// The changes to a store's rows and pairs when its model becomes another version.
///
/// One pairing decides which thing is which for everybody: the comparison, all stores, the tool.
/// Entities are paired first. Then the properties of each entity are paired, inherited ones too. A
/// property that moves to the parent or to a child is therefore paired like any other.
public struct SchemaChange: Sendable {
    /// The model that the store was written with.
    public let source: ManagedObjectModel
    /// The model that it gets.
    public let target: ManagedObjectModel
    /// Every difference, with what it takes.
    public let changes: [ModelChange]
    /// Properties that went and came in one entity and could be the same one.
    public let suspectedRenamings: [SuspectedRenaming]
    /// By entity of the old model: what becomes of its rows; nil where they go.
    public let rows: [RowChange?]
    /// By entity of the new model: the one that it was; nil for one that was added.
    public let sourceEntities: [EntityID?]
    /// By relationship of the new model: those that it was; none for one that was added.
    public let sourceRelationships: [[RelationshipID]]
    /// Relationships of the old model whose links have to be looked at, in the store, or are kept
    /// in another way.
    public let links: [LinkChange]

    /// Compares two versions.
    ///
    /// - Parameter fills: Values for attributes that are mandatory now and have no default, by
    ///   `Entity.attribute` in the words of the new model.
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
        // A property that is declared where it was is ambiguous in both comparisons.
        let known = Set(comparison.changes)
        changes =
            builder.settle(comparison.changes) + builder.problems.filter { !known.contains($0) }
    }

    /// Whether a store of the one version is one of the other.
    public var isEmpty: Bool { source.versionChecksum == target.versionChecksum }

    /// The changes about which somebody has to decide something first.
    public var unsettled: [ModelChange] { changes.filter(\.isUnsettled) }

    /// The entity of the new model that an old one is; nil when it is gone.
    public func targetEntity(_ entity: EntityID) -> EntityID? { rows[entity.index]?.entity }
}

/// The changes to the rows of one entity.
public struct RowChange: Sendable {
    /// Where the value of a slot comes from.
    public enum Source: Sendable, Hashable {
        /// The same for all rows.
        case value(StoredValue)
        /// The value of an old slot, converted; `ifNull` where that has none.
        case slot(Int, ValueConversion?, ifNull: StoredValue)
        /// The key of an old to-one. The entity of its destination stands in `entitySlot`, or is
        /// `destination`. When that entity is gone, the key becomes null.
        case reference(Int, entitySlot: Int?, destination: EntityID)
        /// The entity of the destination of such a to-one, in the new model.
        case referenceEntity(Int, entitySlot: Int?, destination: EntityID)
        /// A number in an order.
        case order(Int)
        /// A derived value, which the store computes once all others are there.
        case derived(RowChange.Stored)
    }

    /// The value of a derived slot before it is computed.
    public enum Stored: Sendable, Hashable {
        /// What stood there.
        case slot(Int)
        /// A value.
        case value(StoredValue)
    }

    /// The rows' entity in the new model.
    public let entity: EntityID
    /// By slot of the new layout.
    public let sources: [Source]

    /// Whether some values are computed when all others are in their places.
    public var computesValues: Bool {
        sources.contains { if case .derived = $0 { true } else { false } }
    }
}

extension SchemaChange {
    /// A new root entity, and the old one in whose table its objects are.
    public struct RootChange: Sendable {
        /// The root in the new model.
        public let root: EntityID
        /// The root in the old model; nil when no object is in any table.
        public let source: EntityID?
        /// Whether the old table becomes the new one. Objects move to another table otherwise.
        public let keepsTable: Bool
    }

    /// The changes to the tables of hierarchies: one for each new root.
    ///
    /// The first root that takes an old table keeps it; those that have an old root's objects
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

    /// Whether stores of the old version were not held to a uniqueness constraint.
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
