import DuramenModel

extension PersistentContainer {
    /// Fetches values directly from the rows of the newest state of the store, without a context.
    ///
    /// Runs on a thread that may block, whatever actor calls it. Rows of subentities return values
    /// of the requested class. Unsaved changes are not included. If the request has no cancellation
    /// flag, cancelling the task stops it with `.cancelled`.
    /// - Throws: ``ContextError`` `.missingMandatoryValue` if a mandatory attribute of a row is
    ///   null, or `.invalidValue` if a value does not have its attribute's type. `.unknownName` if
    ///   the model has no entity of the class. Also the store's error.
    @inlinable
    public func fetch<Values: ManagedValues>(
        _ type: Values.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) async throws -> [Values] {
        try await ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator)
            .run { try $0.all(Values.self) }
    }

    /// Fetches values; an object without a mandatory value, or with a value that does not have its
    /// attribute's type, returns nil: `container.fetch(Quake.Values?.self)`.
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

    /// Fetches values and blocks the thread meanwhile. An object without a mandatory value, or with
    /// a value that does not have its attribute's type, returns nil.
    @inlinable
    public func fetchAndWait<Values: ManagedValues>(
        _ type: Values?.Type, _ request: FetchRequest<Values.Object> = FetchRequest()
    ) throws -> [Values?] {
        try ValuesFetch(ErasedFetchRequest(request), persistentStoreCoordinator)
            .allOrNil(Values.self)
    }
}

extension ValuesFetch {
    // Inlined, so that the program's own compilation knows the struct.
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
