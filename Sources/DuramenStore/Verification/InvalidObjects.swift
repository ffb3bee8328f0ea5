import DuramenModel

/// How many objects a save would refuse, since they lack what their model calls mandatory, or have
/// fewer or more members than it permits.
///
/// A migration leaves such objects as they are: they are read as ever, and have to be mended by whoever
/// saves them next.
public struct InvalidObjects: Sendable {
    /// The objects that break one rule.
    public struct Count: Sendable, Hashable, CustomStringConvertible {
        /// The name of the entity that declares the property.
        public let entity: String
        /// The property.
        public let property: String
        /// How many objects break its rule.
        public let objects: Int

        /// The count in one line.
        public var description: String {
            "\(entity).\(property): \(objects) object\(objects == 1 ? "" : "s") would not be saved as "
                + "\(objects == 1 ? "it is" : "they are")"
        }
    }

    /// One count for each property that some object breaks the rule of, by entity and property.
    public let counts: [Count]

    /// Counts in one state of a store.
    ///
    /// - Complexity: Reads every object once, and the members of to-manys that have limits.
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

/// What a model asks of one property, in the terms of the model that a store has.
struct PropertyRule {
    /// The entity whose objects have to follow it.
    let entity: EntityID
    /// The property's name.
    let name: String
    /// What the store keeps of it.
    private let kept: Kept
    private let least: Int
    private let most: Int?
    private let permitsNone: Bool

    private enum Kept {
        case nothing
        case slot(Int)
        case members(RelationshipID)
        case toOne(RelationshipID)
    }

    static func attribute(_ entity: EntityID, _ attribute: Attribute) -> PropertyRule {
        PropertyRule(
            entity: entity, name: attribute.name, kept: .slot(attribute.slot), least: 1, most: nil,
            permitsNone: false)
    }

    private init(
        entity: EntityID, name: String, kept: Kept, least: Int, most: Int?, permitsNone: Bool
    ) {
        self.entity = entity
        self.name = name
        self.kept = kept
        self.least = least
        self.most = most
        self.permitsNone = permitsNone
    }

    /// - Parameters:
    ///   - entity: The entity in the store's model.
    ///   - kept: The relationship there; nil when the store has none yet.
    /// - Returns: Nil when everything is permitted.
    init?(_ relationship: Relationship, of entity: EntityID, kept: Relationship?) {
        let least =
            relationship.isToMany ? relationship.minimumCount : relationship.isOptional ? 0 : 1
        let most = relationship.isToMany ? relationship.maximumCount : nil
        let permitsNone = relationship.isOptional
        if most == nil, least == 0 || permitsNone && least == 1 { return nil }
        let storage: Kept =
            kept.map { $0.isToMany ? .members($0.id) : .toOne($0.id) } ?? .nothing
        self.init(
            entity: entity, name: relationship.name, kept: storage, least: least, most: most,
            permitsNone: permitsNone)
    }

    /// How many objects break each of some rules.
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
        switch kept {
        case .nothing: return permits(0) ? 0 : own.count
        case .slot(let slot): return own.count { $0.isNull(slot) }
        case .toOne(let id):
            return own.count { row in
                let slot = model[row.entityID].relationship(id)?.slot
                return !permits(slot.map { row.isNull($0) ? 0 : 1 } ?? 0)
            }
        case .members(let id):
            let ids = own.map { $0.objectID(in: model, store: store.handle) }
            return try snapshot.destinations(of: id, from: ids).count { !permits($0.count) }
        }
    }

    private func permits(_ count: Int) -> Bool {
        if permitsNone, count == 0 { return true }
        return count >= least && count <= most ?? .max
    }
}
