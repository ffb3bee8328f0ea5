import DuramenModel

/// The constraints that are enforced before and after a change.
struct KeptConstraints {
    /// Their numbers.
    private(set) var numbers: [KnownNames.Place: Int32] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema) {
        for entity in change.target.entities {
            for constraint in entity.uniquenessConstraints where constraint.entity == entity.id {
                // One of a new entity has no objects yet.
                guard let source = change.sourceEntities[entity.id.index] else {
                    if entity.family.contains(where: { change.sourceEntities[$0.index] != nil }) {
                        return nil
                    }
                    continue
                }
                guard !change.isNew(constraint), let rows = change.rows[source.index],
                    let known = change.source[source].uniquenessConstraints.first(where: {
                        $0.entity == source && Self.isSame($0, constraint, rows)
                    }), let number = old.constraints[known],
                    Self.isCovered(source, by: entity, change)
                else { return nil }
                numbers[KnownNames.place(of: constraint, in: change.target)] = number
            }
        }
    }

    /// Whether a constraint has the same values in the same order, so that its digests are equal.
    private static func isSame(
        _ old: UniquenessConstraint, _ new: UniquenessConstraint, _ rows: RowChange
    ) -> Bool {
        old.slots.count == new.slots.count
            && zip(old.slots, new.slots).allSatisfy { before, slot in
                switch rows.sources[slot] {
                case .slot(before, nil, .null), .reference(before, _, _): true
                default: false
                }
            }
    }

    /// Whether the constraint still holds for all objects for which it did.
    private static func isCovered(
        _ source: EntityID, by entity: Entity, _ change: SchemaChange
    ) -> Bool {
        change.source[source].family.allSatisfy { member in
            change.targetEntity(member).map { change.target[$0].isKind(of: entity) } ?? false
        }
    }
}
