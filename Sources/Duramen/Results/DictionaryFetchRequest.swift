import DuramenModel
public import DuramenQuery

/// Which values to fetch in place of objects: attributes, calculated values, aggregates of groups.
///
/// ```swift
/// FetchRequest<Quake>().where { $0.magnitude >= 3 }
///     .dictionaries("region.name", try .init("total", "sum(magnitude)"))
///     .grouped(by: "region.name").having(try FetchPredicate("total > 100"))
///     .sorted(by: "total", .descending)
/// ```
/// See ``ResultQuery`` for what each part means and for the order of results. They show what is
/// stored: unsaved changes never take part. What a ``FetchRequest`` says of objects, such as
/// prefetching, plays no part.
public struct DictionaryFetchRequest<Object: ManagedObject>: Sendable {
    /// Which objects to look at, how to sort the results, and which part of them to give.
    public var request: FetchRequest<Object>
    /// The columns of each result; empty for all attributes.
    public var propertiesToFetch: [ResultColumn]
    /// The key paths to group by.
    public var propertiesToGroupBy: [String] = []
    /// A condition on groups.
    public var havingPredicate: FetchPredicate?
    /// Whether each different result occurs once.
    public var returnsDistinctResults = false

    /// Asks for values of the objects that a request asks for.
    public init(_ request: FetchRequest<Object>, _ propertiesToFetch: [ResultColumn] = []) {
        self.request = request
        self.propertiesToFetch = propertiesToFetch
    }
}

extension FetchRequest {
    /// Asks for values in place of objects: key paths under their own names, and expressions under
    /// a name; without any, for all attributes. See ``DictionaryFetchRequest``.
    ///
    /// ```swift
    /// FetchRequest<Quake>().dictionaries("code", "region.name", try .init("felt", "tags.@count > 0"))
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

    /// Gives one result for the objects that have the same values at the end of all key paths.
    public func grouped(by keyPaths: String...) -> Self {
        with { $0.propertiesToGroupBy += keyPaths }
    }

    /// Adds a condition on groups, joined by `and`: `try FetchPredicate("$total > 100 AND
    /// count(SELF) > 1")`.
    public func having(_ condition: FetchPredicate) -> Self {
        with { $0.havingPredicate = $0.havingPredicate.map { $0 && condition } ?? condition }
    }

    /// Gives each different result once.
    public func distinct() -> Self { with { $0.returnsDistinctResults = true } }

    /// Adds a condition on objects, joined by `and`.
    public func `where`(_ condition: FetchPredicate) -> Self {
        with { $0.request = $0.request.where(condition) }
    }

    /// Adds a sort key of less weight than those before: the name of a column, or a grouped key
    /// path.
    public func sorted(by name: String, _ direction: FetchSortDirection = .ascending) -> Self {
        with { $0.request = $0.request.sorted(by: name, direction) }
    }

    /// Adds a sort key of less weight than those before: the name of a column, or a grouped key
    /// path.
    public func sorted(by name: String, ascending: Bool) -> Self {
        with { $0.request = $0.request.sorted(by: name, ascending: ascending) }
    }

    /// Adds a sort key of less weight than those before.
    public func sorted(by descriptor: FetchSortDescriptor) -> Self {
        with { $0.request = $0.request.sorted(by: descriptor) }
    }

    /// Gives at most so many results; none for 0.
    public func limit(_ count: Int) -> Self { with { $0.request.fetchLimit = count } }

    /// Skips so many results.
    public func offset(_ count: Int) -> Self { with { $0.request.fetchOffset = count } }
}
