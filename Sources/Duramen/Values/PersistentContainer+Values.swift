import DuramenModel

extension PersistentContainer {
    /// Fetches values straight from the rows of the newest state of the store, without a context.
    ///
    /// Runs on a thread that may block, whatever actor calls it. Rows of sub-entities give the
    /// values of the class asked for. Unsaved changes take no part. A request without a
    /// cancellation flag of its own stops with `.cancelled` when the task is cancelled.
    /// - Throws: ``ContextError`` `.missingMandatoryValue` when a mandatory attribute of a row is
    ///   null, `.invalidValue` when a value is none of its attribute's type, `.unknownName` when
    ///   the model has no entity of the class, or the store's error.
    @inlinable
    public func fetch<Values: ManagedValues>(
        _ type: Values.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) async throws -> [Values] {
        try await ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator)
            .run { try $0.all(Values.self) }
    }

    /// Fetches values, with nil for each object that lacks a mandatory value or has a value that
    /// does not fit its attribute's type: `container.fetch(Quake.Values?.self)`.
    @inlinable
    public func fetch<Values: ManagedValues>(
        _ type: Values?.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) async throws -> [Values?] {
        try await ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator)
            .run { try $0.allOrNil(Values.self) }
    }

    /// Fetches values and blocks the thread meanwhile, for programs without concurrency. The
    /// asynchronous form is `fetch`.
    @inlinable
    public func fetchAndWait<Values: ManagedValues>(
        _ type: Values.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) throws -> [Values] {
        try ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator).all(Values.self)
    }

    /// Fetches values and blocks until they are loaded. An object that lacks a mandatory value, or
    /// has a value that does not fit its attribute's type, gives nil.
    @inlinable
    public func fetchAndWait<Values: ManagedValues>(
        _ type: Values?.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) throws -> [Values?] {
        try ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator)
            .allOrNil(Values.self)
    }
}

extension ValuesFetch {
    // Inlined, so that a program's own compilation knows the struct that it makes.
    @inlinable
    func all<Values: ManagedValues>(_ type: Values.Type) throws -> [Values] {
        var result: [Values] = []
        try forEachRow(toManys: Values.toManyIndices, allowsIncomplete: false) { reader in
            result.append(Values(reading: reader))
        }
        return result
    }

    @inlinable
    func allOrNil<Values: ManagedValues>(_ type: Values.Type) throws -> [Values?] {
        var result: [Values?] = []
        try forEachRow(toManys: Values.toManyIndices, allowsIncomplete: true) { reader in
            let values = Values(reading: reader)
            result.append(reader.isComplete ? values : nil)
        }
        return result
    }
}
