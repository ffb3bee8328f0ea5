import DuramenModel
public import DuramenQuery
import DuramenStore

/// A request for properties and aggregates of groups, as tuples; see
/// ``FetchRequest/select(_:aggregating:_:)``.
public struct FetchSummary<Object: ManagedObject, Summary: Sendable>: Sendable {
    /// The objects to examine, the order of the results, and their range.
    public var request: FetchRequest<Object>
    /// A condition on groups.
    public var havingPredicate: FetchPredicate?
    private let properties: [String]
    private let columns: [ResultColumn]
    private let decode: @Sendable ([StoredValue]) throws -> Summary

    init(
        _ request: FetchRequest<Object>, properties: [String], aggregates: [FetchExpression],
        decode: @escaping @Sendable ([StoredValue]) throws -> Summary
    ) {
        self.request = request
        self.properties = properties
        self.decode = decode
        columns =
            properties.map { ResultColumn($0, .keyPath([$0])) }
            + aggregates.map { ResultColumn($0.description, $0) }
    }

    /// Returns a copy of the request with a further condition on groups, joined by `and`: `try
    /// FetchPredicate("count(SELF) > 1")`.
    public func having(_ condition: FetchPredicate) -> Self {
        var copy = self
        copy.havingPredicate = havingPredicate.map { $0 && condition } ?? condition
        return copy
    }

    /// Returns a copy of the request with a further sort key: one of the selected aggregates.
    public func sorted<Value>(
        by aggregate: FetchAggregate<Object, Value>, _ direction: FetchSortDirection = .ascending
    ) -> Self {
        var copy = self
        copy.request = request.sorted(by: aggregate.expression.description, direction)
        return copy
    }

    func results(
        from coordinator: PersistentStoreCoordinator, cancelledBy flag: CancellationFlag? = nil
    ) throws -> @Sendable () throws -> [Summary] {
        var erased = ErasedResultRequest(
            request: ErasedFetchRequest(request), columns: columns, having: havingPredicate)
        erased.groupBy = properties
        let fetch = try erased.fetch(from: coordinator, cancelledBy: flag)
        let decode = decode
        return { try fetch.results().map(decode) }
    }
}

extension FetchRequest {
    /// Returns a request for aggregates of groups of objects with equal values of some properties.
    /// Each result is a tuple of these values and then the aggregates. Without properties, the
    /// single result aggregates all objects.
    ///
    /// ```swift
    /// let regions = try await container.fetch(
    ///     FetchRequest<Quake>().select(\.region, aggregating: .count, .max(\.magnitude))
    ///         .sorted(by: .count, .descending))
    /// for (region, count, strongest) in regions { … }
    /// ```
    /// Without sort descriptors, results are in the order of the properties, nil first. Sort
    /// descriptors of the request name selected properties. See ``ResultQuery`` for details.
    // The first aggregate is a separate parameter. Otherwise a selection without aggregates would
    // be equivalent to `select(_:)`.
    public func select<each Property: GroupableProperty, First: Sendable, each Value: Sendable>(
        _ keyPath: repeat KeyPath<Object, each Property>,
        aggregating first: FetchAggregate<Object, First>,
        _ others: repeat FetchAggregate<Object, each Value>
    ) -> FetchSummary<Object, (repeat (each Property).Selected, First, repeat each Value)> {
        var properties: [String] = []
        for keyPath in repeat each keyPath { properties.append(Self.groupedName(keyPath)) }
        var aggregates = [first.expression]
        for aggregate in repeat each others { aggregates.append(aggregate.expression) }
        return FetchSummary(self, properties: properties, aggregates: aggregates) { values in
            var reader = SummaryReader(values)
            return (
                repeat try reader.property((each Property).self), try reader.aggregate(first),
                repeat try reader.aggregate(each others)
            )
        }
    }

    // Separate from `select`, because a key path of a generic root crashes in a function with a
    // parameter pack (6.3).
    private static func groupedName(_ keyPath: AnyKeyPath) -> String {
        Object.resultName(of: keyPath)
    }
}

/// Reads the values of a result one after another.
private struct SummaryReader {
    private var values: ArraySlice<StoredValue>

    init(_ values: [StoredValue]) { self.values = values[...] }

    mutating func property<Property: GroupableProperty>(
        _ type: Property.Type
    ) throws -> Property.Selected {
        guard let value = values.popFirst().flatMap({ Property.selected(from: $0) }) else {
            throw Self.misfit("\(type)")
        }
        return value
    }

    mutating func aggregate<Object, Value>(
        _ aggregate: FetchAggregate<Object, Value>
    ) throws -> Value {
        guard let value = values.popFirst().flatMap({ aggregate.decode($0) }) else {
            throw Self.misfit("'\(aggregate.expression)', a \(Value.self)")
        }
        return value
    }

    private static func misfit(_ what: String) -> ContextError {
        ContextError(
            .invalidValue,
            "A value does not fit \(what). Fetch dictionaries, which have values as they are stored."
        )
    }
}

extension PersistentContainer {
    /// Fetches tuples of groups from the newest state of the store, without a context and without
    /// unsaved changes.
    ///
    /// - Throws: ``ContextError`` `.invalidValue` if a value does not have its type, or the store's
    ///   error.
    public func fetch<Object: ManagedObject, Summary>(
        _ summary: FetchSummary<Object, Summary>
    ) async throws -> [Summary] {
        let flag = CancellationFlag(following: summary.request.cancellation)
        let results = try summary.results(from: persistentStoreCoordinator, cancelledBy: flag)
        return try await withTaskCancellationHandler {
            try await offCooperativePool(results)
        } onCancel: {
            flag.cancel()
        }
    }

    /// Fetches tuples of groups and blocks the thread meanwhile; the asynchronous form is `fetch`.
    public func fetchAndWait<Object: ManagedObject, Summary>(
        _ summary: FetchSummary<Object, Summary>
    ) throws -> [Summary] {
        try summary.results(from: persistentStoreCoordinator)()
    }
}
