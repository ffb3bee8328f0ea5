public import DuramenModel

/// A question to a store for the groups that some rows make, and aggregates of each.
public struct GroupQuery: Sendable, Hashable {
    /// An aggregate function of something that each row has one of.
    public struct Aggregate: Sendable, Hashable {
        /// One of the functions that ``FetchFunction/isAggregate`` names.
        public var function: FetchFunction
        /// The expression to aggregate, or nil for the object itself, which is never null.
        public var operand: FetchExpression?
    }

    /// The rows.
    public var rows: StoreQuery
    /// The expressions to group by. Without any, all rows are one group.
    public var keys: [FetchExpression]
    /// The aggregates to calculate for each group.
    public var aggregates: [Aggregate]
}

/// The values of a group: those of its keys, and those of the aggregates of a ``GroupQuery``.
public struct GroupValues: Sendable, Hashable {
    /// By key.
    public var keys: [StoredValue]
    /// By aggregate.
    public var aggregates: [QueryValue]

    /// Describes a group.
    public init(keys: [StoredValue], aggregates: [QueryValue]) {
        self.keys = keys
        self.aggregates = aggregates
    }
}

extension BoundResultQuery {
    /// The groups that the results are made of.
    ///
    /// - Parameter rows: The rows, as a store was asked for them.
    package func groups(of rows: StoreQuery) -> GroupQuery {
        GroupQuery(
            rows: rows, keys: keys.map(\.expression),
            aggregates: aggregates.map {
                GroupQuery.Aggregate(function: $0.function, operand: $0.operandExpression)
            })
    }
}
