import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches stored values instead of objects. Unsaved changes, here or in a parent, are never
    /// included.
    ///
    /// - Parameters:
    ///   - request: The values to fetch.
    ///   - isolation: The isolation that the call runs in; leave it out.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.invalidRequest` if
    ///   a column, the predicate, the grouping or the order does not match the entity.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> [FetchedDictionary] {
        enter(isolation)
        noticeStores()
        return try resultFetch(ErasedResultRequest(request)).dictionaries()
    }

    /// Fetches stored values instead of objects without blocking the owner; see
    /// ``fetchDictionaries(_:isolation:)``.
    ///
    /// - Throws: `CancellationError` if the task was cancelled, or the errors of
    ///   ``fetchDictionaries(_:isolation:)``.
    public func fetchDictionariesOffOwner<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [FetchedDictionary] {
        try Task.checkCancellation()
        enter(isolation)
        noticeStores()
        let flag = CancellationFlag(following: request.request.cancellation)
        let fetch = try resultFetch(ErasedResultRequest(request), cancelledBy: flag)
        return try await cancelling(flag, isolation) { try fetch.dictionaries() }
    }
}

extension PersistentContainer {
    /// Fetches values instead of objects from the newest state of the store, without a context.
    ///
    /// Runs on a thread that may block, whatever actor calls it.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.cancelled` if the
    ///   task was cancelled.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>
    ) async throws -> [FetchedDictionary] {
        let flag = CancellationFlag(following: request.request.cancellation)
        let fetch = try ErasedResultRequest(request)
            .fetch(from: persistentStoreCoordinator, cancelledBy: flag)
        return try await withTaskCancellationHandler {
            try await offCooperativePool { try fetch.dictionaries() }
        } onCancel: {
            flag.cancel()
        }
    }

    /// Fetches values instead of objects and blocks the thread meanwhile; the asynchronous form is
    /// `fetchDictionaries`.
    public func fetchDictionariesAndWait<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>
    ) throws -> [FetchedDictionary] {
        try ErasedResultRequest(request).fetch(from: persistentStoreCoordinator).dictionaries()
    }
}
