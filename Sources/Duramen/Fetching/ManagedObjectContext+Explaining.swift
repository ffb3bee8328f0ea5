import DuramenModel
import DuramenQuery
public import DuramenStore

extension ManagedObjectContext {
    /// Returns, for each store of a request, the part of the query that the store executes, how,
    /// and the part that remains.
    ///
    /// Unsaved changes are applied here, after the stores. The explanation contains no value of the
    /// request.
    /// - Throws: The errors of ``fetch(_:isolation:)`` for a request that does not match the model.
    public func explain<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> [QueryExplanation] {
        enter(isolation)
        noticeStores()
        let request = ErasedFetchRequest(request)
        if stores.hasOne, request.affectedStores == nil {
            return [try main.explanation(request)]
        }
        let fetch = try FetchOfStores(request, in: self)
        if let part = fetch.only { return [try part.explanation(request)] }
        return try fetch.parts.map { try $0.explanation(fetch.widened) }
    }
}

extension ContextPart {
    fileprivate func explanation(_ request: ErasedFetchRequest) throws -> QueryExplanation {
        let query = try storeQuery(request)
        context.propagateDeletes()
        reading.letGo()
        let current = try currentSnapshot()
        let pending = request.includesPendingChanges ? pendingFetch(query, in: current) : nil
        return try QueryExecution(pending?.storedQuery ?? query, on: store, in: current)
            .explanation()
    }
}

extension FetchRequest {
    /// Returns how each store would execute the request; see
    /// ``ManagedObjectContext/explain(_:isolation:)``.
    public func explain(
        in context: ManagedObjectContext, isolation: isolated (any Actor)? = #isolation
    ) throws -> [QueryExplanation] {
        try context.explain(self, isolation: isolation)
    }
}
