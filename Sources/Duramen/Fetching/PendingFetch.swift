import DuramenModel
import DuramenQuery
import DuramenStore

/// A fetch in which unsaved changes take part.
///
/// The store returns the objects without changes. Objects with changes are evaluated here and
/// merged in the same order, so that offset and limit apply to the final list.
struct PendingFetch<Source: EvaluationSource> where Source.Failure == StoreError {
    typealias Item = BoundSort.Item

    let query: LoweredQuery
    let store: any PersistentStore
    let snapshot: any StoreSnapshot
    /// The object graph with the unsaved changes.
    let source: Source
    /// The most stored objects that may have changes.
    let changedCount: Int
    /// Whether the object of a stored row has changes or is deleted.
    let isChanged: (Row) -> Bool
    /// Returns the changed objects of the requested entities for which a condition holds. Deleted
    /// objects are left out; objects that cannot match the query may be left out.
    let changedItems: (_ condition: RowTest?) -> [Item]

    /// Returns the results in order, with offset and limit applied. Changed objects have their own
    /// rows.
    ///
    /// - Parameter order: The order of the query, if it is bound already.
    func items(by order: BoundSort? = nil) throws(StoreError) -> [Item] {
        let predicate: BoundPredicate?
        let bound: BoundSort
        do throws(FetchPredicateError) {
            predicate = try query.boundPredicate()
            bound = if let order { order } else { try query.boundOrder() }
        } catch {
            throw StoreError(error)
        }
        return try items(predicate, bound)
    }

    private func items(
        _ predicate: BoundPredicate?, _ order: BoundSort
    ) throws(StoreError) -> [Item] {
        let readsRelated = query.query.readsRelated
        var items: [Item] = []
        let unchanged = try unchangedRows()
        source.expect { unchanged }
        for (index, row) in unchanged.enumerated() {
            source.advance(to: index)
            let id = row.objectID(in: store.model, store: store.handle)
            if readsRelated, let predicate, try !predicate.evaluate(row, id: id, in: source) {
                continue
            }
            items.append((row, id))
        }
        // Rows of changed objects are known one by one.
        source.expect { [] }
        let condition = predicate?.rowTest
        for (row, id) in changedItems(condition) {
            if condition == nil, let predicate, try !predicate.evaluate(row, id: id, in: source) {
                continue
            }
            items.append((row, id))
            // Items after the window can be dropped early.
            if let end, items.count >= 2 * end + 1_024 {
                try order.sort(&items, in: source)
                items.removeLast(items.count - end)
            }
        }
        try order.sort(&items, in: source)
        let rest = items.dropFirst(query.query.offset)
        return Array(query.query.limit.map { rest.prefix($0) } ?? rest)
    }

    /// The end of the window; nil if it has none.
    private var end: Int? {
        query.query.limit.flatMap { limit in
            let (end, isTooLarge) = limit.addingReportingOverflow(query.query.offset)
            return isTooLarge || end > .max / 4 ? nil : end
        }
    }

    /// Returns stored rows of objects without changes, in the order of the query: at least enough
    /// for the window.
    private func unchangedRows() throws(StoreError) -> [Row] {
        var stored = storedQuery
        while true {
            let rows = try QueryExecution(stored, on: store, in: snapshot).rows()
            let unchanged = rows.filter { !isChanged($0) }
            guard let end, let limit = stored.query.limit, rows.count >= limit,
                unchanged.count < end,
                limit < end + changedCount
            else { return unchanged }
            stored.setWindow(offset: 0, limit: min(2 * limit, end + changedCount))
        }
    }

    /// The first query for the store. Its window is wider, because some objects may be dropped.
    /// Conditions and orders that follow relationships are left to the evaluator.
    var storedQuery: LoweredQuery {
        var stored = query
        if query.query.readsRelated {
            stored.dropCondition()
            stored.dropOrder()
            stored.setWindow(offset: 0, limit: nil)
        } else {
            stored.setWindow(offset: 0, limit: end.map { $0 + min(changedCount, 64) })
        }
        return stored
    }
}

extension ContextPart {
    /// Returns a fetch with the unsaved changes of this part's store; nil if none of them can
    /// affect the result.
    func pendingFetch(
        _ query: LoweredQuery, in snapshot: any StoreSnapshot
    ) -> PendingFetch<ContextSource>? {
        let asked = query.query
        guard hasOwnChanges, mayAlter(asked) else { return nil }
        let changed = currentChangedObjects
        let wanted = asked.entities(in: model)
        let equality = ValueEquality.first(in: asked.predicate, of: model[asked.entity])
        return PendingFetch(
            query: query, store: store, snapshot: snapshot,
            source: ContextSource(self, snapshot: snapshot),
            changedCount: changed.storedCount(of: wanted),
            isChanged: { row in
                self.plans[row.entityID.index].table.find(row.key)?.replacesStoredRow == true
            },
            changedItems: { condition in
                changed.candidates(of: wanted, matching: equality) { object in
                    self.isShown(object, where: condition)
                }.compactMap { object in object.row.map { ($0, object.objectID) } }
            })
    }

    /// Whether fetches show an object with its own values, and a condition holds for them.
    @inline(__always)
    private func isShown(_ object: ManagedObject, where condition: RowTest?) -> Bool {
        guard object.replacesStoredRow, object.flags.isDisjoint(with: [.deleted, .gone]) else {
            return false
        }
        usePermanentKeys(in: object)
        guard let condition else { return true }
        return object.withRow { condition($0, object.objectID, handle.store) } ?? false
    }

    /// Whether unsaved changes can affect the result of a query.
    func mayAlter(_ query: StoreQuery) -> Bool {
        query.readsRelated || currentChangedObjects.hasObjects(of: query.entities(in: model))
    }

    private var currentChangedObjects: ChangedObjects {
        tracker.currentIndex(model.entities.count)
    }
}

extension ManagedObject {
    /// Whether a fetch uses the object's own values, or its deletion, instead of the stored row.
    fileprivate final var replacesStoredRow: Bool {
        // A fault with changes only in pairs has the stored values.
        hasChanges && (words != nil || !isThere)
    }
}

extension StoreQuery {
    /// Returns the requested entities.
    func entities(in model: ManagedObjectModel) -> [EntityID] {
        includesSubentities ? model[entity].family : [entity]
    }

    /// Whether the result may depend on objects that are related to the results.
    var readsRelated: Bool {
        sortDescriptors.contains { $0.keyPath.count > 1 }
            || predicate?.followsRelationships == true
    }
}
