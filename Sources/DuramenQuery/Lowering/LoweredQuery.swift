package import DuramenModel

/// A query in the few forms that stores and the evaluator support, and not too complex for them.
///
/// A fetch lowers its query once. It passes the result to the store, to the evaluation of unsaved
/// changes, and to the merge of several stores. The changes that are possible afterwards keep the
/// forms.
package struct LoweredQuery: Sendable {
    /// The query, with names of ``model``.
    package private(set) var query: StoreQuery
    /// The model for the names of the query.
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

    /// Wraps a query from another ``LoweredQuery`` of the model.
    package init(lowered query: StoreQuery, in model: ManagedObjectModel) {
        self.query = query
        self.model = model
    }

    /// Sets the window of the query.
    package mutating func setWindow(offset: Int, limit: Int?) {
        query.offset = offset
        query.limit = limit
    }

    /// Sets the slots to load; nil for all.
    package mutating func setSlots(_ slots: SlotSet?) { query.slots = slots }

    /// Sets a flag that cancels the work when it is raised.
    package mutating func setCancellation(_ flag: CancellationFlag?) { query.cancellation = flag }

    /// Removes the condition, for callers that evaluate it themselves.
    package mutating func dropCondition() { query.predicate = nil }

    /// Removes the order, for callers that sort the objects themselves.
    package mutating func dropOrder() { query.sortDescriptors = [] }

    /// Adds a condition to the query.
    ///
    /// - Throws: ``FetchPredicateError`` `.tooComplex`.
    package mutating func restrict(to condition: FetchPredicate) throws(FetchPredicateError) {
        let conditions = [condition, query.predicate].compactMap { $0 }
        let all = conditions.count == 1 ? condition : FetchPredicate.and(conditions)
        query.predicate = try all.lowered(for: model[query.entity], in: model)
    }

    /// Sorts by the stored keys of localized texts; see ``StoreQuery/orderedByKeys(in:)``.
    package mutating func orderByKeys() { query = query.orderedByKeys(in: model) }

    /// Returns the condition, bound to the model; nil if there is none.
    package func boundPredicate() throws(FetchPredicateError) -> BoundPredicate? {
        try query.predicate?.boundAsLowered(to: model[query.entity], in: model)
    }

    /// Returns the order, bound to the model.
    package func boundOrder() throws(FetchPredicateError) -> BoundSort {
        try query.sortDescriptors.bound(to: model[query.entity], in: model)
    }
}
