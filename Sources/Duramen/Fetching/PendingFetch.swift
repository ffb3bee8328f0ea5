import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch in which unsaved changes take part.
///
/// The store answers for the objects without changes; those with changes are evaluated here and merged
/// in by the same order, so that offset and limit count the final list.
struct PendingFetch {
    let context: ManagedObjectContext
    let snapshot: any StoreSnapshot

    typealias Item = BoundSort.Item

    /// Whether some change can alter the answer.
    func matters(to query: StoreQuery) -> Bool {
        let families = touchedEntities
        return entities(of: query).contains { families.contains($0) } || readsRelated(query)
    }

    /// The results in order, windowed. Rows are the context's own where it has changes.
    func items(_ query: StoreQuery) throws -> [Item] {
        let entity = context.model[query.entity]
        let source = ContextSource(context, snapshot: snapshot)
        do {
            let predicate = try query.predicate?.bound(to: entity, in: context.model)
            let order = try query.sortDescriptors.bound(to: entity, in: context.model)
            let changed = changedObjects(of: query)
            let changedKeys = Set(changed.map(\.key))
            var items: [Item] = []
            for row in try storedRows(query, skipping: changed.count)
            where !changedKeys.contains(row.key) {
                let id = row.objectID(in: context.model, store: context.handle.store)
                if readsRelated(query), let predicate,
                    try !predicate.evaluate(row, id: id, in: source)
                {
                    continue
                }
                items.append((row, id))
            }
            for object in changed where object.flags.isDisjoint(with: [.deleted, .gone]) {
                guard let row = context.rowWithPermanentKeys(of: object) else { continue }
                let id = object.objectID
                if let predicate, try !predicate.evaluate(row, id: id, in: source) { continue }
                items.append((row, id))
            }
            try order.sort(&items, in: source)
            let rest = items.dropFirst(query.offset)
            return Array(query.limit.map { rest.prefix($0) } ?? rest)
        } catch let error as FetchPredicateError {
            throw StoreError(error)
        }
    }

    /// What the store says. The window is widened by the number of objects that may drop out, and
    /// conditions and order that follow relationships are left to the evaluator.
    private func storedRows(_ query: StoreQuery, skipping changed: Int) throws -> [Row] {
        var stored = query
        stored.offset = 0
        stored.limit = query.limit.flatMap { limit in
            let (end, isTooLarge) = limit.addingReportingOverflow(query.offset)
            let (widened, isTooWide) = end.addingReportingOverflow(changed)
            return isTooLarge || isTooWide ? nil : widened
        }
        if readsRelated(query) {
            stored.predicate = nil
            stored.sortDescriptors = []
            stored.limit = nil
        }
        return try QueryExecution(stored, on: context.store, in: snapshot).rows()
    }

    /// The changed objects of the entities asked for.
    private func changedObjects(of query: StoreQuery) -> [ManagedObject] {
        let wanted = entities(of: query)
        var seen: Set<ObjectIdentifier> = []
        return (context.inserted + context.updated + context.deleted).filter { object in
            object.hasChanges && wanted.contains(object.plan.entity.id)
                && seen.insert(ObjectIdentifier(object)).inserted
        }
    }

    private func entities(of query: StoreQuery) -> [EntityID] {
        query.includesSubentities ? context.model[query.entity].family : [query.entity]
    }

    private var touchedEntities: Set<EntityID> {
        Set((context.inserted + context.updated + context.deleted).lazy.map(\.plan.entity.id))
    }

    /// Whether the answer may depend on other objects than the one asked about.
    private func readsRelated(_ query: StoreQuery) -> Bool {
        query.sortDescriptors.contains { $0.keyPath.count > 1 }
            || query.predicate?.followsRelationships == true
    }
}

extension FetchPredicate {
    /// Whether the predicate looks at other objects than its subject.
    var followsRelationships: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.followsRelationships || comparison.right.followsRelationships
                // A to-many on the left of `contains` is kept in other rows.
                || comparison.operator == .contains
        case .quantified: true
        case .not(let part): part.followsRelationships
        case .and(let parts), .or(let parts): parts.contains(where: \.followsRelationships)
        }
    }
}

extension FetchExpression {
    /// Whether the expression is read from other objects.
    fileprivate var followsRelationships: Bool {
        switch self {
        case .keyPath(let path): path.count > 1
        case .count: true
        case .constant, .list, .selfObject: false
        }
    }
}
