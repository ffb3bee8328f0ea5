/// What becomes of a store's rows and pairs when its model becomes another version.
///
/// One pairing decides which thing is which for everybody: the comparison, all stores, the tool.
/// Entities are paired first, then the properties of each entity, inherited ones too, so that a
/// property that moves up or down in a hierarchy is no special case.
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
        changes = builder.settle(comparison.changes) + builder.problems
    }

    /// Whether a store of the one version is one of the other.
    public var isEmpty: Bool { source.versionChecksum == target.versionChecksum }

    /// The changes about which somebody has to decide something first.
    public var unsettled: [ModelChange] { changes.filter(\.isUnsettled) }

    /// The entity of the new model that an old one is; nil when it is gone.
    public func targetEntity(_ entity: EntityID) -> EntityID? { rows[entity.index]?.entity }
}

/// What becomes of the rows of one entity.
public struct RowChange: Sendable {
    /// Where the value of a slot comes from.
    public enum Source: Sendable, Hashable {
        /// The same for all rows.
        case value(StoredValue)
        /// An old slot, with the conversion of its values and with what stands for null.
        case slot(Int, ValueConversion?, ifNull: StoredValue)
        /// The key of an old to-one, whose destination's entity stands in another slot, or is the
        /// given one. Null where that entity is gone.
        case reference(Int, entitySlot: Int?, destination: EntityID)
        /// The entity of the destination of such a to-one, in the new model.
        case referenceEntity(Int, entitySlot: Int?, destination: EntityID)
        /// A number in an order.
        case order(Int)
        /// Computed anew from other values.
        case derived(RowChange.Stored)
    }

    /// What stands in a derived slot until it is computed.
    public enum Stored: Sendable, Hashable {
        /// What stood there.
        case slot(Int)
        /// A value.
        case value(StoredValue)
    }

    /// The rows' entity in the new model.
    public let entity: EntityID
    /// By slot of the new layout.
    public internal(set) var sources: [Source]

    /// Whether some values are computed when all others are in their places.
    public var computesValues: Bool {
        sources.contains { if case .derived = $0 { true } else { false } }
    }
}

extension SchemaChange {
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
