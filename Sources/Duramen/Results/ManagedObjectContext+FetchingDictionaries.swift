import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches values in place of objects. They are what is stored: unsaved changes, here or in a
    /// parent, never take part.
    ///
    /// - Parameter isolation: The owner of the context, filled in by the compiler.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.invalidRequest`
    ///   when a column, the predicate, the grouping or the order does not fit the entity.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) throws -> [FetchedDictionary] {
        enter(isolation)
        noticeStores()
        return try resultFetch(ErasedResultRequest(request)).dictionaries()
    }

    /// Fetches values in place of objects without the owner waiting for a store; see
    /// ``fetchDictionaries(_:isolation:)``.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, or what
    ///   ``fetchDictionaries(_:isolation:)`` throws.
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
    /// Fetches values in place of objects from the newest state of the store, without a context.
    ///
    /// Runs on a thread that may block, whatever actor calls it.
    /// - Throws: ``ContextError`` for an unknown entity, or the store's error; `.cancelled` when
    ///   the task was cancelled.
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

    /// Fetches values in place of objects and blocks the thread meanwhile. The asynchronous form is
    /// `fetchDictionaries`.
    public func fetchDictionariesAndWait<Object: ManagedObject>(
        _ request: DictionaryFetchRequest<Object>
    ) throws -> [FetchedDictionary] {
        try ErasedResultRequest(request).fetch(from: persistentStoreCoordinator).dictionaries()
    }
}
