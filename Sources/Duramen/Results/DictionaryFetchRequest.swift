import DuramenModel
public import DuramenQuery

/// A request for values instead of objects: attributes, computed values, and aggregates of groups.
///
/// ```swift
/// FetchRequest<Quake>().where { $0.magnitude >= 3 }
///     .dictionaries("region.name", try .init("total", "sum(magnitude)"))
///     .grouped(by: "region.name").having(try FetchPredicate("total > 100"))
///     .sorted(by: "total", .descending)
/// ```
/// See ``ResultQuery`` for the meaning of each part and for the order of results. The results are
/// stored values: unsaved changes are never included. Options of the ``FetchRequest`` about
/// objects, such as prefetching, are ignored.
public struct DictionaryFetchRequest<Object: ManagedObject>: Sendable {
    /// The objects to examine, the order of the results, and their range.
    public var request: FetchRequest<Object>
    /// The columns of each result; empty for all attributes.
    public var propertiesToFetch: [ResultColumn]
    /// The key paths to group by.
    public var propertiesToGroupBy: [String] = []
    /// A condition on groups.
    public var havingPredicate: FetchPredicate?
    /// Whether duplicate results are removed.
    public var returnsDistinctResults = false

    /// Creates a request for values of the objects that a fetch request selects.
    public init(_ request: FetchRequest<Object>, _ propertiesToFetch: [ResultColumn] = []) {
        self.request = request
        self.propertiesToFetch = propertiesToFetch
    }
}

extension FetchRequest {
    /// Returns a request for values instead of objects: key paths under their own names, and
    /// expressions under given names. Without arguments it requests all attributes. See
    /// ``DictionaryFetchRequest``.
    ///
    /// ```swift
    /// FetchRequest<Quake>()
    ///     .dictionaries("code", "region.name", try .init("felt", "tags.@count > 0"))
    /// ```
    public func dictionaries(_ properties: ResultColumn...) -> DictionaryFetchRequest<Object> {
        DictionaryFetchRequest(self, properties)
    }
}

extension DictionaryFetchRequest {
    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns a copy of the request with one result per group of objects with equal values at the
    /// key paths.
    public func grouped(by keyPaths: String...) -> Self {
        with { $0.propertiesToGroupBy += keyPaths }
    }

    /// Returns a copy of the request with a further condition on groups, joined by `and`: `try
    /// FetchPredicate("$total > 100 AND count(SELF) > 1")`.
    public func having(_ condition: FetchPredicate) -> Self {
        with { $0.havingPredicate = $0.havingPredicate.map { $0 && condition } ?? condition }
    }

    /// Returns a copy of the request without duplicate results.
    public func distinct() -> Self { with { $0.returnsDistinctResults = true } }

    /// Returns a copy of the request with a further condition on objects, joined by `and`.
    public func `where`(_ condition: FetchPredicate) -> Self {
        with { $0.request = $0.request.where(condition) }
    }

    /// Returns a copy of the request with a further sort key: the name of a column, or a grouped
    /// key path.
    public func sorted(by name: String, _ direction: FetchSortDirection = .ascending) -> Self {
        with { $0.request = $0.request.sorted(by: name, direction) }
    }

    /// Returns a copy of the request with a further sort key: the name of a column, or a grouped
    /// key path.
    public func sorted(by name: String, ascending: Bool) -> Self {
        with { $0.request = $0.request.sorted(by: name, ascending: ascending) }
    }

    /// Returns a copy of the request with a further sort descriptor of lower precedence.
    public func sorted(by descriptor: FetchSortDescriptor) -> Self {
        with { $0.request = $0.request.sorted(by: descriptor) }
    }

    /// Returns a copy of the request with a limit; 0 returns no results.
    public func limit(_ count: Int) -> Self { with { $0.request.fetchLimit = count } }

    /// Returns a copy of the request that skips a number of results.
    public func offset(_ count: Int) -> Self { with { $0.request.fetchOffset = count } }
}
