public import DuramenModel

/// A query to a store for groups of rows, with aggregates of each group.
public struct GroupQuery: Sendable, Hashable {
    /// An aggregate function of an expression that has one value for each row.
    public struct Aggregate: Sendable, Hashable {
        /// A function for which ``FetchFunction/isAggregate`` is true.
        public var function: FetchFunction
        /// The expression to aggregate, or nil for the object itself, which is never null.
        public var operand: FetchExpression?
    }

    /// The rows to group.
    public var rows: StoreQuery
    /// The expressions to group by. Without any, all rows are one group.
    public var keys: [FetchExpression]
    /// The aggregates to calculate for each group.
    public var aggregates: [Aggregate]
}

/// The values of a group: its keys, and the aggregates of a ``GroupQuery``.
public struct GroupValues: Sendable, Hashable {
    /// The values of the keys.
    public var keys: [StoredValue]
    /// The values of the aggregates.
    public var aggregates: [QueryValue]

    /// Creates the values of a group.
    public init(keys: [StoredValue], aggregates: [QueryValue]) {
        self.keys = keys
        self.aggregates = aggregates
    }
}

extension BoundResultQuery {
    /// Returns the query for the groups of the results.
    ///
    /// - Parameter rows: The query for the rows.
    package func groups(of rows: StoreQuery) -> GroupQuery {
        GroupQuery(
            rows: rows, keys: keys.map(\.expression),
            aggregates: aggregates.map {
                GroupQuery.Aggregate(function: $0.function, operand: $0.operandExpression)
            })
    }
}
