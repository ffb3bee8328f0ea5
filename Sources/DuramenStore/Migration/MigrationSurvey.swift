public import DuramenModel
import DuramenQuery

/// How many objects a plan touches, and how many values it loses: what a person wants to know
/// first.
public struct MigrationSurvey: Sendable {
    /// The number of objects by entity of the old model, sub-entities' left out.
    public private(set) var rows: [String: Int] = [:]
    /// The number of values that go, by the change that takes them.
    public private(set) var losses: [ModelChange: Int] = [:]
    /// The number of objects that a save would refuse afterwards, by the change of a relationship
    /// that asks for more than they have. They are read as ever.
    public private(set) var invalid: [ModelChange: Int] = [:]

    /// The estimated cost of the migration, including the copy that is kept.
    public private(set) var estimate = MigrationEstimate()

    /// Counts in a store, which is opened for reading and not changed.
    ///
    /// - Complexity: One pass for each entity, one for each change that loses something, and one
    ///   for all that ask for more than objects have.
    public init(of plan: MigrationPlan) throws(StoreError) {
        let store = try plan.store.readOnly().type.open(
            plan.store.readOnly(), model: plan.source)
        do throws(StoreError) {
            try count(plan, store)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    private mutating func count(
        _ plan: MigrationPlan, _ store: any PersistentStore
    ) throws(StoreError) {
        let snapshot = try store.snapshot()
        rows = try store.objectCounts(in: snapshot)
        if let store = store as? any SchemaMigratingStore { try estimate(plan, store) }
        func count(_ entity: Entity, _ predicate: FetchPredicate?) throws(StoreError) -> Int {
            let query = StoreQuery(entity: entity.id, predicate: predicate)
            return try QueryExecution(query, on: store, in: snapshot).count()
        }
        // Nobody knows yet what later changes find.
        guard let hop = plan.hops.first else { return }
        try countInvalid(hop, snapshot, store)
        for change in hop.changes where change.loss != nil {
            guard let entity = hop.oldEntity(of: change) else { continue }
            guard let name = change.property else {
                losses[change] = rows[entity.name] ?? 0
                continue
            }
            let isToMany =
                if case .relationship(let relationship)? = entity.property(named: name) {
                    relationship.isToMany
                } else {
                    entity.property(named: name) == nil
                }
            if isToMany { continue }
            losses[change] = try count(entity, .keyPath(name, .notEqual, StoredValue.null))
        }
    }

    private mutating func estimate(
        _ plan: MigrationPlan, _ store: any SchemaMigratingStore
    ) throws(StoreError) {
        guard let hop = plan.hops.first else { return }
        estimate = try store.estimate(hop.change)
        // The working copy is written, and written back.
        if plan.inferred == nil { estimate = estimate.withBackup().withBackup() }
        if plan.keepsBackup || store.alwaysKeepsBackup { estimate = estimate.withBackup() }
        for step in plan.hops.flatMap({ $0.stage?.steps ?? [] }) {
            // The present entities stand for those of later versions.
            guard let entity = step.entity.flatMap({ plan.source.entity(named: $0) }) else {
                continue
            }
            let count = entity.family.reduce(0) { $0 + (rows[plan.source[$1].name] ?? 0) }
            estimate.add(rows: count, secondsPerMillion: Self.secondsPerMillionSteps, bytes: 0)
        }
    }

    /// A step on SQLite; one on LMDB takes less.
    private static let secondsPerMillionSteps = 4.0

    private mutating func countInvalid(
        _ hop: MigrationHop, _ snapshot: any StoreSnapshot, _ store: any PersistentStore
    ) throws(StoreError) {
        var rules: [(change: ModelChange, rule: PropertyRule)] = []
        for change in hop.changes {
            guard let entity = hop.oldEntity(of: change), let name = change.property,
                let new = change.entity.flatMap({ hop.change.target.entity(named: $0) }),
                case .relationship(let relationship)? = new.property(named: name),
                // Another change of the same one has counted them.
                !rules.contains(where: { StoredText($0.change.name) == StoredText(change.name) })
            else { continue }
            let kept = hop.change.sourceRelationships[relationship.id.index].lazy
                .compactMap { entity.relationship($0) }.first
            guard let rule = PropertyRule(relationship, of: entity.id, kept: kept) else { continue }
            rules.append((change, rule))
        }
        do throws(StoreError) {
            let counts = try PropertyRule.count(rules.map(\.rule), in: snapshot, of: store)
            for ((change, _), count) in zip(rules, counts) where count > 0 {
                invalid[change] = count
            }
        } catch {
            // A value that is missing says nothing against the plan.
            if error.code != .damagedValue { throw error }
        }
    }
}

extension MigrationHop {
    /// The old entity of a change, which may be called otherwise now.
    fileprivate func oldEntity(of change: ModelChange) -> Entity? {
        guard let name = change.entity else { return nil }
        if let entity = self.change.target.entity(named: name),
            let old = self.change.sourceEntities[entity.id.index]
        {
            return self.change.source[old]
        }
        return self.change.source.entity(named: name)
    }
}
