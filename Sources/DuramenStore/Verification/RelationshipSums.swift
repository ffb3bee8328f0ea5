import DuramenModel

/// Checksums of each relationship from both of its sides. The sums do not depend on the order of
/// the pairs, so that pairs need not be kept.
struct RelationshipSums {
    private let model: ManagedObjectModel
    /// By relationship: the sum of its pairs.
    private var forward: [UInt64]
    /// By relationship: the sum of its reversed pairs, as the inverse has them.
    private var backward: [UInt64]
    /// By ordered to-many relationship: the sum of its members in order.
    private var listed: [UInt64]
    /// By ordered to-many relationship: the sum of its members, from the members' rows or from the
    /// pairs.
    private var members: [UInt64]

    init(_ model: ManagedObjectModel) {
        self.model = model
        forward = Array(repeating: 0, count: model.relationships.count)
        backward = forward
        listed = forward
        members = forward
    }

    /// Adds a pair of a relationship.
    mutating func add(
        _ relationship: Relationship, from source: ManagedObjectID, to end: ManagedObjectID
    ) {
        let place = relationship.id.index
        forward[place] &+= Self.sum(source, end, 0)
        backward[place] &+= Self.sum(end, source, 0)
        // Only the ordered lists show the numbers of pairs.
        if relationship.isOrdered, case .manyToMany = relationship.storage {
            members[place] &+= Self.sum(source, end, 0)
        }
    }

    /// Adds a member from an ordered list.
    mutating func addListed(
        _ relationship: Relationship, owner: ManagedObjectID, member: ManagedObjectID, order: Int64?
    ) {
        if case .manyToMany = relationship.storage {
            listed[relationship.id.index] &+= Self.sum(owner, member, 0)
        } else {
            listed[relationship.id.index] &+= Self.sum(owner, member, order ?? .min)
        }
    }

    /// Adds a member from its own row, with the number in the row.
    mutating func addMember(
        of relationship: RelationshipID, owner: ManagedObjectID, member: ManagedObjectID,
        order: Int64?
    ) {
        members[relationship.index] &+= Self.sum(owner, member, order ?? .min)
    }

    /// The relationships that do not agree with their inverses. Each is listed from one side only.
    func disagreeing() -> [Relationship] {
        model.relationships.filter { relationship in
            !(relationship.inverse < relationship.id)
                && forward[relationship.id.index] != backward[relationship.inverse.index]
        }
    }

    /// The ordered to-many relationships whose lists differ from their members.
    func disorderly() -> [Relationship] {
        model.relationships.filter {
            $0.isOrdered && listed[$0.id.index] != members[$0.id.index]
        }
    }

    private static func sum(_ a: ManagedObjectID, _ b: ManagedObjectID, _ order: Int64) -> UInt64 {
        var sum = RunningChecksum()
        sum.add(a.key)
        sum.add(b.key)
        sum.add(order)
        return sum.value
    }
}

/// Finds unique values that occur twice, by 128 bits of each.
struct UniqueValueSearch {
    private struct Mark: Hashable {
        var first: UInt64
        var second: UInt64
    }

    /// By entity: its constraints, and their indexes in ``seen``.
    private let constraints: [[(UniquenessConstraint, place: Int)]]
    private let kinds: [[SlotKind]]
    private var seen: [Set<Mark>]

    init(_ model: ManagedObjectModel) {
        var places: [UniquenessConstraint: Int] = [:]
        constraints = model.entities.map { entity in
            entity.uniquenessConstraints.map { constraint in
                let place = places[constraint] ?? places.count
                places[constraint] = place
                return (constraint, place)
            }
        }
        kinds = model.entities.map(\.layout.kinds)
        seen = Array(repeating: [], count: places.count)
    }

    /// Adds a row.
    ///
    /// - Returns: A constraint for which another row has equal values; nil for none. Null values
    ///   are not compared.
    mutating func noteRepeated(_ row: Row) -> UniquenessConstraint? {
        var repeated: UniquenessConstraint?
        for (constraint, place) in constraints[row.entityID.index] {
            if constraint.slots.contains(where: { row.isNull($0) }) { continue }
            var first = RunningChecksum()
            var second = RunningChecksum()
            second.add(UInt64(0x9E37_79B9_7F4A_7C15))
            for slot in constraint.slots {
                if kinds[row.entityID.index][slot].isTail {
                    row.withBytes(slot) { bytes in
                        first.add(bytes)
                        second.add(bytes)
                    }
                } else {
                    first.add(row.integer(slot))
                    second.add(row.integer(slot))
                }
            }
            if !seen[place].insert(Mark(first: first.value, second: second.value)).inserted {
                repeated = constraint
            }
        }
        return repeated
    }
}
