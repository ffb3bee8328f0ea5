import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit

/// Sees texts or bytes otherwise than they are stored, in some comparisons or in orders.
class ViewSaboteur: OrderSaboteur, @unchecked Sendable {
    /// The comparisons that see otherwise.
    var operators: Set<PredicateComparison.Operator> { [] }
    /// Whether orders see otherwise.
    var ordersViews: Bool { false }

    /// How a value is seen.
    func view(_ value: StoredValue) -> StoredValue { value }

    /// Whether an attribute is seen otherwise.
    func isViewed(_ attribute: String, of entity: Entity) -> Bool { true }

    override func rows(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let comparesViews = query.predicate.map(concerns) ?? false
        let sortsViews = ordersViews && !query.sortDescriptors.isEmpty
        guard comparesViews || sortsViews else { return try super.rows(query, snapshot) }
        let views = try views(query, snapshot)
        var changed = unlimited(query)
        if comparesViews {
            changed.predicate = changed.predicate.map {
                rewritten($0, of: model[query.entity], over: views)
            }
        }
        let found = try QueryExecution(changed, on: base, in: snapshot).rows()
        return window(sortsViews ? try sorted(found, query, views, snapshot) : found, query)
    }

    private func id(_ row: Row) -> ManagedObjectID { row.objectID(in: model, store: handle) }

    private func views(
        _ query: StoreQuery, _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [BoundSort.Item] {
        var all = StoreQuery(entity: query.entity)
        all.includesSubentities = query.includesSubentities
        return try QueryExecution(all, on: base, in: snapshot).rows().map { row in
            let values = RowCoding.values(of: row, in: model, store: handle).mapValues(view)
            let entity = model[row.entityID]
            return (RowCoding.row(values, of: entity, key: row.key, in: model), id(row))
        }
    }

    private func sorted(
        _ rows: [Row], _ query: StoreQuery, _ views: [BoundSort.Item],
        _ snapshot: any StoreSnapshot
    ) throws(StoreError) -> [Row] {
        let stored = Dictionary(uniqueKeysWithValues: rows.map { (id($0), $0) })
        var items = views.filter { stored[$0.id] != nil }
        let order: BoundSort
        do throws(FetchPredicateError) {
            order = try query.sortDescriptors.bound(to: model[query.entity], in: model)
        } catch {
            throw StoreError(error)
        }
        try order.sort(&items, in: SnapshotSource(base, snapshot))
        return items.compactMap { stored[$0.id] }
    }

    private func concerns(_ predicate: FetchPredicate) -> Bool {
        switch predicate.form {
        case .constant, .quantified: false
        case .comparison(let comparison): operators.contains(comparison.operator)
        case .not(let part): concerns(part)
        case .and(let parts), .or(let parts): parts.contains(where: concerns)
        }
    }

    /// The predicate with each comparison that sees otherwise as the list of what it finds.
    private func rewritten(
        _ predicate: FetchPredicate, of entity: Entity, over views: [BoundSort.Item]
    ) -> FetchPredicate {
        switch predicate.form {
        case .constant, .quantified: predicate
        case .not(let part): .not(rewritten(part, of: entity, over: views))
        case .and(let parts): .and(parts.map { rewritten($0, of: entity, over: views) })
        case .or(let parts): .or(parts.map { rewritten($0, of: entity, over: views) })
        case .comparison(let comparison):
            if let test = test(comparison, of: entity) {
                .comparison(
                    PredicateComparison(
                        .selfObject, .isIn,
                        .list(
                            views.filter { test($0.row, $0.id, handle) }.map { .objectID($0.id) })))
            } else {
                predicate
            }
        }
    }

    private func test(
        _ comparison: PredicateComparison, of entity: Entity
    ) -> (@Sendable (Row, ManagedObjectID, StoreHandle) -> Bool)? {
        guard operators.contains(comparison.operator),
            case .keyPath(let path) = comparison.left.form, path.count == 1,
            isViewed(path[0], of: entity)
        else { return nil }
        var comparison = comparison
        switch comparison.right.form {
        case .constant(let value): comparison.right = .constant(view(value))
        case .list(let values): comparison.right = .list(values.map(view))
        default: return nil
        }
        return try? FetchPredicate.comparison(comparison).bound(to: entity, in: model).rowTest
    }
}
