import DuramenModel
public import DuramenQuery
import DuramenStore

/// Some properties and aggregates of groups of objects, as tuples; see
/// ``FetchRequest/select(_:aggregating:)``.
public struct FetchSummary<Object: ManagedObject, Summary: Sendable>: Sendable {
    /// Which objects to look at, how to sort the results, and which part of them to give.
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

    /// Adds a condition on groups, joined by `and`: `try FetchPredicate("count(SELF) > 1")`.
    public func having(_ condition: FetchPredicate) -> Self {
        var copy = self
        copy.havingPredicate = havingPredicate.map { $0 && condition } ?? condition
        return copy
    }

    /// Adds a sort key of less weight than those before: one of the aggregates that are selected.
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
    /// Asks for aggregates of the objects that have the same values of some properties. Each group
    /// gives a tuple of these values and then the aggregates; without properties, all objects
    /// together give exactly one.
    ///
    /// ```swift
    /// let regions = try await container.fetch(
    ///     FetchRequest<Quake>().select(\.region, aggregating: .count, .max(\.magnitude))
    ///         .sorted(by: .count, .descending))
    /// for (region, count, strongest) in regions { … }
    /// ```
    /// Results without an order of their own are in that of the properties, nil first. Sort
    /// descriptors of the request name properties that are selected. See ``ResultQuery`` for the
    /// rest.
    // The first aggregate stands alone, or a selection without any would be another spelling of
    // `select(_:)`.
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

    // Apart from `select`: a key path of a generic root crashes in a function with a parameter pack
    // (6.3).
    private static func groupedName(_ keyPath: AnyKeyPath) -> String {
        Object.resultName(of: keyPath)
    }
}

/// Takes the values of a result one after the other.
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
    /// Fetches tuples of groups from the newest state of the store, without a context; unsaved
    /// changes take no part.
    ///
    /// - Throws: ``ContextError`` `.invalidValue` when a value is none of its type, or the store's
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

    /// Fetches tuples of groups and blocks the thread meanwhile. The asynchronous form is `fetch`.
    public func fetchAndWait<Object: ManagedObject, Summary>(
        _ summary: FetchSummary<Object, Summary>
    ) throws -> [Summary] {
        try summary.results(from: persistentStoreCoordinator)()
    }
}
