import DuramenModel
import DuramenQuery
import DuramenStore

extension ManagedObjectContext {
    /// Fetches objects without the owner waiting for a store: the query runs on another thread, and
    /// only the objects are made here.
    ///
    /// ```swift
    /// let quakes = try await container.viewContext.fetchOffOwner(
    ///     FetchRequest<Quake>().where { $0.magnitude >= 5 })
    /// ```
    ///
    /// The result is that of ``fetch(_:isolation:)`` at the moment of the call, unsaved changes
    /// included. Meanwhile the owner may go on with the context: objects have what they have by the
    /// time the result is there, and those that were deleted are left out. When the task is
    /// cancelled, the query stops. What is to be prefetched is read off the owner too; whole rows
    /// are read, whatever the request says of properties and faults. A pin to
    /// ``QueryGenerationToken/current`` that nothing was read in yet is taken on the owner.
    /// - Parameters:
    ///   - isolation: The owner of the context, filled in by the compiler.
    ///   - onProgress: Is told how many rows were read so far, off the owner, every few hundred
    ///     rows. Answers of several stores, and those that a store leaves to be sorted or joined,
    ///     come at once.
    /// - Throws: `CancellationError` when the task was cancelled, or what ``fetch(_:isolation:)``
    ///   throws.
    /// - Complexity: The owner makes the objects. When unsaved changes can alter the answer, it
    ///   copies their rows before.
    public func fetchOffOwner<Object: ManagedObject>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation,
        onProgress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Object] {
        try await beginOffOwner(isolation)
        let flag = CancellationFlag(following: request.cancellation)
        let erased = ErasedFetchRequest(request)
        let model = persistentStoreCoordinator.managedObjectModel
        let paths = try erased.prefetchPaths(from: erased.entity(in: model), in: model)
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
            // What is read again may change again.
            readings = try fetch.readingsAgain(in: answer)
        }
        var objects: [Object] = []
        defer { awakeObjects() }
        try fetch.materialize(answer) { object in
            // Sound: the class of each object was checked.
            objects.append(unsafeDowncast(object, to: Object.self))
        }
        for path in paths { try await prefetchOffOwner(path, from: objects, isolation) }
        return objects
    }

    /// Counts objects without the owner waiting for a store; see
    /// ``fetchOffOwner(_:isolation:onProgress:)``. Unsaved changes at the moment of the call take
    /// part.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, or what ``count(for:isolation:)``
    ///   throws.
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

    /// Takes note of the owner, and applies delete rules, for which everything is read off the
    /// owner.
    private func beginOffOwner(_ isolation: isolated (any Actor)?) async throws {
        try Task.checkCancellation()
        enter(isolation)
        noticeStores()
        try await readForDeletions(isolation)
        propagateDeletes()
    }

    /// Runs work off the owner, which a flag stops when the task is cancelled.
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
