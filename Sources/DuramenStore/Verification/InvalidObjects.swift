import DuramenModel

/// The numbers of objects that a save would refuse: objects without a mandatory value, or with too
/// few or too many members.
///
/// A migration does not change such objects. They can be read, and must be corrected when they are
/// saved next.
public struct InvalidObjects: Sendable {
    /// The number of objects that break one rule.
    public struct Count: Sendable, Hashable, CustomStringConvertible {
        /// The name of the entity that declares the property.
        public let entity: String
        /// The property.
        public let property: String
        /// The number of objects that break the property's rule.
        public let objects: Int

        /// The count in one line.
        public var description: String {
            "\(entity).\(property): \(objects) object\(objects == 1 ? "" : "s") would not be saved as "
                + "\(objects == 1 ? "it is" : "they are")"
        }
    }

    /// One count for each property whose rule some object breaks, by entity and property.
    public let counts: [Count]

    /// Counts the invalid objects in one state of a store.
    ///
    /// - Complexity: Reads every object once, and the members of to-many relationships with limits.
    public init(in snapshot: any StoreSnapshot, of store: any PersistentStore) throws(StoreError) {
        let model = store.model
        var rules: [PropertyRule] = []
        for entity in model.entities {
            rules += entity.attributes.filter { $0.declaringEntity == entity.id && !$0.isOptional }
                .map { .attribute(entity.id, $0) }
        }
        rules += model.relationships.filter { !$0.isHidden }.compactMap { relationship in
            PropertyRule(relationship, of: relationship.declaringEntity, kept: relationship)
        }
        let numbers = try PropertyRule.count(rules, in: snapshot, of: store)
        counts = zip(rules, numbers).filter { $0.1 > 0 }.map { rule, number in
            Count(entity: model[rule.entity].name, property: rule.name, objects: number)
        }.sorted {
            (StoredText($0.entity), StoredText($0.property))
                < (StoredText($1.entity), StoredText($1.property))
        }
    }
}

/// A rule of a model for one property of a store's objects.
struct PropertyRule {
    /// The entity whose objects must follow the rule, in the store's model.
    let entity: EntityID
    /// The property's name.
    let name: String
    private let rule: Rule

    private enum Rule {
        /// The slot has a value.
        case value(Int)
        /// The relationship has a permitted number of members. The store may have the relationship
        /// under another ID, or not yet.
        case members(Relationship, kept: Relationship?)
    }

    static func attribute(_ entity: EntityID, _ attribute: Attribute) -> PropertyRule {
        PropertyRule(entity: entity, name: attribute.name, rule: .value(attribute.slot))
    }

    private init(entity: EntityID, name: String, rule: Rule) {
        self.entity = entity
        self.name = name
        self.rule = rule
    }

    /// - Parameters:
    ///   - relationship: The relationship in the new model.
    ///   - entity: The entity in the store's model.
    ///   - kept: The relationship in the store's model; nil if the store does not have it yet.
    /// - Returns: Nil if any number of members is permitted.
    init?(_ relationship: Relationship, of entity: EntityID, kept: Relationship?) {
        let hasLimit =
            relationship.isToMany
            && (relationship.minimumCount > 1 || relationship.maximumCount != nil)
        guard hasLimit || relationship.problem(ofCount: 0) != nil else { return nil }
        self.init(
            entity: entity, name: relationship.name, rule: .members(relationship, kept: kept))
    }

    /// Returns the number of objects that break each of some rules.
    static func count(
        _ rules: [PropertyRule], in snapshot: any StoreSnapshot, of store: any PersistentStore
    ) throws(StoreError) -> [Int] {
        let model = store.model
        var counts = rules.map { _ in 0 }
        let concerned = Set(rules.map { model[$0.entity].root })
        for root in model.entities where root.superentity == nil && concerned.contains(root.id) {
            try StoreWalk(store, snapshot).forEachBatch(of: root) { (rows) throws(StoreError) in
                for (place, rule) in rules.enumerated() where model[rule.entity].root == root.id {
                    counts[place] += try rule.count(rows, snapshot, store)
                }
            }
        }
        return counts
    }

    private func count(
        _ rows: RowBatch, _ snapshot: any StoreSnapshot, _ store: any PersistentStore
    ) throws(StoreError) -> Int {
        let model = store.model
        let own = rows.filter { model[$0.entityID].isKind(of: model[entity]) }
        if own.isEmpty { return 0 }
        switch rule {
        case .value(let slot): return own.count { $0.isNull(slot) }
        case .members(let relationship, kept: nil):
            return relationship.problem(ofCount: 0) == nil ? 0 : own.count
        case .members(let relationship, let kept?) where kept.isToMany:
            let ids = own.map { $0.objectID(in: model, store: store.handle) }
            return try snapshot.destinations(of: kept.id, from: ids).count {
                relationship.problem(ofCount: $0.count) != nil
            }
        case .members(let relationship, let kept?):
            return own.count { row in
                let slot = model[row.entityID].relationship(kept.id)?.slot
                let hasOne = slot.map { !row.isNull($0) } ?? false
                return relationship.problem(ofCount: hasOne ? 1 : 0) != nil
            }
        }
    }
}
