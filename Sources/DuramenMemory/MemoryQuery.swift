import DuramenModel
import DuramenQuery
import DuramenStore

/// A query checked against the model.
final class MemoryQuery: Sendable {
    let model: ManagedObjectModel
    let query: StoreQuery
    /// The root entity, whose table has the rows.
    let root: EntityID
    let predicate: BoundPredicate?
    /// Nil for the order of the keys.
    let order: BoundSort?
    /// By index of an entity in the model, whether the query includes its objects; nil for the
    /// whole hierarchy.
    let isWanted: [Bool]?
    /// The unique values of which each result has one; nil without such a condition.
    let unique: UniqueLookup?

    /// - Throws: `.invalidRequest` for a query that does not fit the model.
    init(_ query: StoreQuery, model: ManagedObjectModel) throws(StoreError) {
        guard query.offset >= 0, query.limit ?? 0 >= 0,
            model.entities.indices.contains(query.entity.index)
        else {
            throw StoreError(
                .invalidRequest,
                "A query names an entity of the model, and no negative offset or limit.")
        }
        let entity = model[query.entity]
        self.model = model
        self.query = query
        root = entity.root
        do throws(FetchPredicateError) {
            predicate = try query.predicate?.bound(to: entity, in: model)
            order =
                query.sortDescriptors.isEmpty
                ? nil : try query.sortDescriptors.bound(to: entity, in: model)
        } catch {
            throw StoreError(error)
        }
        unique = UniqueLookup(query.predicate, of: entity)
        let wanted = query.includesSubentities ? entity.family : [entity.id]
        if wanted.count == model[root].family.count {
            isWanted = nil
        } else {
            var places = [Bool](repeating: false, count: model.entities.count)
            for id in wanted { places[id.index] = true }
            isWanted = places
        }
    }

    /// Whether every row of the table is a result.
    var selectsAll: Bool { predicate == nil && isWanted == nil }

    /// The matching rows of a leaf, as bits.
    func matches(
        _ rows: ContiguousArray<Row>, in source: MemorySource
    ) throws(StoreError) -> UInt64 {
        if query.cancellation?.isCancelled == true { throw .queryCancelled }
        var candidates = UInt64.max >> UInt64(64 - rows.count)
        if let isWanted {
            for place in rows.indices where !isWanted[rows[place].entityID.index] {
                candidates &= ~(1 << UInt64(place))
            }
        }
        return predicate?.matches(rows, among: candidates, in: source) ?? candidates
    }
}

extension StoreError {
    static var queryCancelled: StoreError {
        StoreError(.cancelled, "The query was cancelled.")
    }
}
