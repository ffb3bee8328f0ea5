import DuramenModel

/// What a relationship leads to, seen from both of its sides, as one number for each: equal for
/// equal pairs in whatever order they come, so that pairs need not be kept.
struct RelationshipSums {
    private let model: ManagedObjectModel
    /// By relationship: its pairs as they are.
    private var forward: [UInt64]
    /// By relationship: its pairs turned round, as the inverse has them.
    private var backward: [UInt64]
    /// By ordered to-many: its members as they stand in the order.
    private var listed: [UInt64]
    /// By ordered to-many: its members as they themselves say, or as its pairs do.
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
        // The numbers of pairs are in the order alone.
        if relationship.isOrdered, case .manyToMany = relationship.storage {
            members[place] &+= Self.sum(source, end, 0)
        }
    }

    /// Adds a member that stands in an ordered to-many.
    mutating func addListed(
        _ relationship: Relationship, owner: ManagedObjectID, member: ManagedObjectID, order: Int64?
    ) {
        if case .manyToMany = relationship.storage {
            listed[relationship.id.index] &+= Self.sum(owner, member, 0)
        } else {
            listed[relationship.id.index] &+= Self.sum(owner, member, order ?? .min)
        }
    }

    /// Adds a member that says by itself where it stands in an ordered to-many.
    mutating func addMember(
        of relationship: RelationshipID, owner: ManagedObjectID, member: ManagedObjectID,
        order: Int64?
    ) {
        members[relationship.index] &+= Self.sum(owner, member, order ?? .min)
    }

    /// The relationships whose inverses lead back to others. Each pair of them is named once.
    func disagreeing() -> [Relationship] {
        model.relationships.filter { relationship in
            !(relationship.inverse < relationship.id)
                && forward[relationship.id.index] != backward[relationship.inverse.index]
        }
    }

    /// The ordered to-manys whose order does not have their members.
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

/// Looks for unique values that occur twice, by 128 bits of each.
struct UniqueValueSearch {
    private struct Mark: Hashable {
        var first: UInt64
        var second: UInt64
    }

    /// By entity: the constraints that its objects must keep, and their places in ``seen``.
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

    /// Notes a row.
    ///
    /// - Returns: A constraint by which another row has the same values; nil for none. Null is the
    ///   same as nothing.
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
