import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches objects without blocking the owner: the query runs on another thread, and only the
    /// objects are created here.
    ///
    /// ```swift
    /// let quakes = try await container.viewContext.fetchOffOwner(
    ///     FetchRequest<Quake>().where { $0.magnitude >= 5 })
    /// ```
    ///
    /// The result is that of ``fetch(_:isolation:)`` at the time of the call, unsaved changes
    /// included. The owner can use the context meanwhile. Objects have their values at the time of
    /// the result, and objects that were deleted meanwhile are left out. Cancelling the task stops
    /// the query.
    ///
    /// Relationships to prefetch are loaded off the owner too. Whole rows are loaded; the request's
    /// properties to fetch and fault options are ignored. If the context has a pin to
    /// ``QueryGenerationToken/current`` and nothing was read yet, the state is taken on the owner.
    /// - Parameters:
    ///   - request: The objects to fetch.
    ///   - isolation: The isolation that the call runs in; leave it out.
    ///   - onProgress: Called off the owner with the number of rows loaded so far, every few
    ///     hundred rows. It is not called for results of several stores, or for results that a
    ///     store does not sort or join itself.
    /// - Throws: `CancellationError` if the task was cancelled, or the errors of
    ///   ``fetch(_:isolation:)``.
    /// - Complexity: The owner creates the objects. If unsaved changes can affect the result, it
    ///   first copies their rows.
    public func fetchOffOwner<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation,
        onProgress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Object] {
        try await beginOffOwner(isolation)
        let flag = CancellationFlag(following: request.cancellation)
        let erased = ErasedFetchRequest(request)
        let model = persistentStoreCoordinator.managedObjectModel
        let paths = try erased.prefetchPaths(from: erased.entity(in: model), in: model)
        if erased.refreshes { try await refreshChangedObjectsOffOwner(of: erased, isolation) }
        var fetch = try FetchOffOwner(erased, in: self, cancelledBy: flag)
        defer { fetch.end() }
        let (queries, offset, limit) = (fetch.queries, request.fetchOffset, request.fetchLimit)
        let answer = try await cancelling(flag, isolation) {
            try AnswerOffOwner(queries, offset: offset, limit: limit) { onProgress?($0) }
        }
        var readings = try fetch.readingsAgain(in: answer)
        while !readings.isEmpty {
            for reading in readings {
                let rows = try await cancelling(flag, isolation) {
                    try reading.query.rows(for: reading.ids)
                }
                fetch.take(rows, of: reading)
            }
            // Rows that are loaded again may change again.
            readings = try fetch.readingsAgain(in: answer)
        }
        var objects: [Object] = []
        defer {
            awakeObjects()
            endUnitSoonIfFull()
        }
        try fetch.materialize(answer) { object in
            // Sound: the class of each object was checked.
            objects.append(unsafeDowncast(object, to: Object.self))
        }
        for path in paths { try await prefetchOffOwner(path, from: objects, isolation) }
        return objects
    }

    /// Returns the number of objects that a request matches without blocking the owner; see
    /// ``fetchOffOwner(_:isolation:onProgress:)``. Unsaved changes at the time of the call are
    /// included.
    ///
    /// - Throws: `CancellationError` if the task was cancelled, or the errors of
    ///   ``count(for:isolation:)``.
    public func countOffOwner<Object: ManagedObject>(
        for request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Int {
        try await beginOffOwner(isolation)
        let flag = CancellationFlag(following: request.cancellation)
        let fetch = try FetchOffOwner(ErasedFetchRequest(request), in: self, cancelledBy: flag)
        defer { fetch.end() }
        let queries = fetch.queries
        let counts = try await cancelling(flag, isolation) { try queries.map { try $0.count() } }
        if counts.count == 1 { return counts[0] }
        let rest = max(0, counts.reduce(0, +) - request.fetchOffset)
        return request.fetchLimit.map { min($0, rest) } ?? rest
    }

    /// Enters the owner's isolation, and applies delete rules after loading their objects off the
    /// owner.
    func beginOffOwner(_ isolation: isolated (any Actor)?) async throws {
        try Task.checkCancellation()
        enter(isolation)
        noticeStores()
        try await readForDeletions(isolation)
        propagateDeletes()
    }

    /// Runs work off the owner, which a flag cancels together with the task.
    func cancelling<Result: Sendable>(
        _ flag: CancellationFlag, _ isolation: isolated (any Actor)?,
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do {
            return try await withTaskCancellationHandler {
                try await offCooperativePool(work)
            } onCancel: {
                flag.cancel()
            }
        } catch let error as StoreError where error.code == .cancelled && Task.isCancelled {
            throw CancellationError()
        }
    }
}
