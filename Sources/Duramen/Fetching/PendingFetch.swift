import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch in which unsaved changes take part.
///
/// The store answers for the objects without changes; those with changes are evaluated here and merged
/// in by the same order, so that offset and limit count the final list.
struct PendingFetch<Source: EvaluationSource> where Source.Failure == StoreError {
    typealias Item = BoundSort.Item

    let query: StoreQuery
    let store: any PersistentStore
    let snapshot: any StoreSnapshot
    /// The graph with the unsaved changes.
    let source: Source
    /// The changed objects of the entities asked for; those that are deleted without a row.
    let changed: [(id: ManagedObjectID, row: Row?)]

    /// The results in order, windowed. Rows of changed objects are those of ``changed``.
    func items() throws(StoreError) -> [Item] {
        let entity = store.model[query.entity]
        let predicate: BoundPredicate?
        let order: BoundSort
        do throws(FetchPredicateError) {
            predicate = try query.predicate?.bound(to: entity, in: store.model)
            order = try query.sortDescriptors.bound(to: entity, in: store.model)
        } catch {
            throw StoreError(error)
        }
        return try items(predicate, order)
    }

    private func items(
        _ predicate: BoundPredicate?, _ order: BoundSort
    ) throws(StoreError) -> [Item] {
        let changedKeys = Set(changed.map(\.id.key))
        let readsRelated = query.readsRelated
        var items: [Item] = []
        for row in try storedRows() where !changedKeys.contains(row.key) {
            let id = row.objectID(in: store.model, store: store.handle)
            if readsRelated, let predicate, try !predicate.evaluate(row, id: id, in: source) {
                continue
            }
            items.append((row, id))
        }
        for (id, row) in changed {
            guard let row else { continue }
            if let predicate, try !predicate.evaluate(row, id: id, in: source) { continue }
            items.append((row, id))
        }
        try order.sort(&items, in: source)
        let rest = items.dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    private func storedRows() throws(StoreError) -> [Row] {
        try QueryExecution(storedQuery, on: store, in: snapshot).rows()
    }

    /// What the store is asked. The window is widened by the number of objects that may drop out, and
    /// conditions and order that follow relationships are left to the evaluator.
    var storedQuery: StoreQuery {
        var stored = query
        stored.offset = 0
        stored.limit = query.limit.flatMap { limit in
            let (end, isTooLarge) = limit.addingReportingOverflow(query.offset)
            let (widened, isTooWide) = end.addingReportingOverflow(changed.count)
            return isTooLarge || isTooWide ? nil : widened
        }
        if query.readsRelated {
            stored.predicate = nil
            stored.sortDescriptors = []
            stored.limit = nil
        }
        return stored
    }
}

extension ManagedObjectContext {
    /// A fetch in which the unsaved changes of this context's own store take part; nil when none of them can
    /// alter the answer.
    func pendingFetch(
        _ query: StoreQuery, in snapshot: any StoreSnapshot
    ) -> PendingFetch<ContextSource>? {
        guard hasOwnChanges, mayAlter(query) else { return nil }
        return PendingFetch(
            query: query, store: store, snapshot: snapshot,
            source: ContextSource(self, snapshot: snapshot),
            changed: changedObjects(of: query).map { object in
                let isThere = object.flags.isDisjoint(with: [.deleted, .gone])
                return (object.objectID, isThere ? rowWithPermanentKeys(of: object) : nil)
            })
    }

    /// Whether unsaved changes can alter the answer to a query.
    func mayAlter(_ query: StoreQuery) -> Bool {
        if query.readsRelated { return true }
        let wanted = query.entities(in: model)
        return (inserted + updated + deleted).contains { wanted.contains($0.plan.entity.id) }
    }

    /// The changed objects of the entities that a query asks for.
    private func changedObjects(of query: StoreQuery) -> [ManagedObject] {
        let wanted = query.entities(in: model)
        var seen: Set<ObjectIdentifier> = []
        return (inserted + updated + deleted).filter { object in
            // A fault that is only part of new pairs has the values that are stored.
            object.hasChanges && (object.words != nil || !object.isThere)
                && wanted.contains(object.plan.entity.id)
                && seen.insert(ObjectIdentifier(object)).inserted
        }
    }
}

extension StoreQuery {
    /// The entities asked for.
    func entities(in model: ManagedObjectModel) -> [EntityID] {
        includesSubentities ? model[entity].family : [entity]
    }

    /// Whether the answer may depend on other objects than the one asked about.
    var readsRelated: Bool {
        sortDescriptors.contains { $0.keyPath.count > 1 }
            || predicate?.followsRelationships == true
    }
}
