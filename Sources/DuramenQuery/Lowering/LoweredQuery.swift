package import DuramenModel

/// A query in the few forms that stores and the evaluator are made for, not too complex for them.
///
/// A fetch lowers its query once and hands on the result: to the store, to the evaluation of
/// unsaved changes, and to the merge of several stores. What can be changed afterwards keeps the
/// forms.
package struct LoweredQuery: Sendable {
    /// The query, of ``model``.
    package private(set) var query: StoreQuery
    /// The model that the names of the query are of.
    package let model: ManagedObjectModel

    /// Lowers a query.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package init(
        _ query: StoreQuery, in model: ManagedObjectModel
    ) throws(FetchPredicateError) {
        self.query = try query.lowered(in: model)
        self.model = model
    }

    /// Takes a query that a ``LoweredQuery`` of the same model has given out.
    package init(lowered query: StoreQuery, in model: ManagedObjectModel) {
        self.query = query
        self.model = model
    }

    /// Gives the query another window.
    package mutating func setWindow(offset: Int, limit: Int?) {
        query.offset = offset
        query.limit = limit
    }

    /// Names the slots whose values are wanted; nil for all.
    package mutating func setSlots(_ slots: SlotSet?) { query.slots = slots }

    /// Gives the query a flag that ends the work when it is raised.
    package mutating func setCancellation(_ flag: CancellationFlag?) { query.cancellation = flag }

    /// Asks for all objects, for whoever judges them itself.
    package mutating func dropCondition() { query.predicate = nil }

    /// Asks for objects in any order, for whoever sorts them itself.
    package mutating func dropOrder() { query.sortDescriptors = [] }

    /// Asks only for objects that fulfil one more condition.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package mutating func restrict(to condition: FetchPredicate) throws(FetchPredicateError) {
        let conditions = [condition, query.predicate].compactMap { $0 }
        let all = conditions.count == 1 ? condition : FetchPredicate.and(conditions)
        query.predicate = try all.lowered(for: model[query.entity], in: model)
    }

    /// Sorts by the keys that a store keeps of localized texts; see
    /// ``StoreQuery/orderedByKeys(in:)``.
    package mutating func orderByKeys() { query = query.orderedByKeys(in: model) }

    /// The condition, bound to the model; nil when there is none.
    package func boundPredicate() throws(FetchPredicateError) -> BoundPredicate? {
        try query.predicate?.boundAsLowered(to: model[query.entity], in: model)
    }

    /// The order, bound to the model.
    package func boundOrder() throws(FetchPredicateError) -> BoundSort {
        try query.sortDescriptors.bound(to: model[query.entity], in: model)
    }
}
