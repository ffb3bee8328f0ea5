public import DuramenModel
import DuramenQuery

/// The number of objects that a plan affects, and of values that it loses.
public struct MigrationSurvey: Sendable {
    /// The number of objects by entity of the old model, not counting sub-entities.
    public private(set) var rows: [String: Int] = [:]
    /// The number of lost values, by the change that loses them.
    public private(set) var losses: [ModelChange: Int] = [:]
    /// The number of objects that a save would refuse afterwards, by the change of a relationship
    /// that requires more members. The objects can still be read.
    public private(set) var invalid: [ModelChange: Int] = [:]

    /// An estimate of the cost of the migration, including the backup.
    public private(set) var estimate = MigrationEstimate()

    /// Counts the objects and values of a store, which is opened for reading and not changed.
    ///
    /// - Complexity: One pass for each entity, one for each change that loses something, and one
    ///   for all changes that require more members.
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
        // The effects of later changes are not known yet.
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
        // The working copy is written, and copied back.
        if plan.inferred == nil { estimate = estimate.withBackup().withBackup() }
        if plan.keepsBackup || store.alwaysKeepsBackup { estimate = estimate.withBackup() }
        for step in plan.hops.flatMap({ $0.stage?.steps ?? [] }) {
            // Assumes that entities of later versions have as many objects as the current ones.
            guard let entity = step.entity.flatMap({ plan.source.entity(named: $0) }) else {
                continue
            }
            let count = entity.family.reduce(0) { $0 + (rows[plan.source[$1].name] ?? 0) }
            estimate.add(rows: count, secondsPerMillion: Self.secondsPerMillionSteps, bytes: 0)
        }
    }

    /// The cost of a step on SQLite; on LMDB it is lower.
    private static let secondsPerMillionSteps = 4.0

    private mutating func countInvalid(
        _ hop: MigrationHop, _ snapshot: any StoreSnapshot, _ store: any PersistentStore
    ) throws(StoreError) {
        var rules: [(change: ModelChange, rule: PropertyRule)] = []
        for change in hop.changes {
            guard let entity = hop.oldEntity(of: change), let name = change.property,
                let new = change.entity.flatMap({ hop.change.target.entity(named: $0) }),
                case .relationship(let relationship)? = new.property(named: name),
                // Another change of this property has counted them.
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
            // A missing value is not the plan's problem.
            if error.code != .damagedValue { throw error }
        }
    }
}

extension MigrationHop {
    /// The old entity of a change, which may be renamed now.
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
