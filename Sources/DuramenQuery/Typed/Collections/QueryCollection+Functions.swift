extension QueryCollection {
    /// The number of values: `tags.name.@count`.
    public var count: QueryExpression<Int> { QueryExpression(.count(of: fetchExpression)) }

    /// The smallest value; null without values: `@min`.
    public var min: QueryExpression<Value> { QueryExpression(.min, fetchExpression) }

    /// The greatest value; null without values: `@max`.
    public var max: QueryExpression<Value> { QueryExpression(.max, fetchExpression) }

    /// The most frequent values, ascending.
    public var mode: QueryCollection { QueryCollection(.mode, fetchExpression) }

    /// The distinct values, ascending: `@distinctUnionOfObjects`.
    public var distinct: QueryCollection { QueryCollection(.distinct, fetchExpression) }

    /// Returns the distinct values of both collections, ascending: `UNION`.
    public func union(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.union, fetchExpression, other.fetchExpression)
    }

    /// Returns the distinct values that are in both collections, ascending: `INTERSECT`.
    public func intersection(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.intersect, fetchExpression, other.fetchExpression)
    }

    /// Returns the distinct values that are not in the other collection, ascending: `MINUS`.
    public func subtracting(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.minus, fetchExpression, other.fetchExpression)
    }

    /// The first of ordered values, such as ``distinct`` values; null without values: `[FIRST]`.
    public var first: QueryExpression<Value> { QueryExpression(.first, fetchExpression) }

    /// The last of ordered values; null without values: `[LAST]`.
    public var last: QueryExpression<Value> { QueryExpression(.last, fetchExpression) }

    /// Returns the value at a zero-based position of ordered values; null beyond the end.
    public subscript(place: Int) -> QueryExpression<Value> {
        QueryExpression(.element, fetchExpression, .constant(place.storedValue))
    }

    /// Returns the value at a position that is an expression; null beyond the end.
    public subscript(place: some PredicateOperand<Int>) -> QueryExpression<Value> {
        QueryExpression(.element, fetchExpression, place.fetchExpression)
    }
}

extension QueryCollection where Value: PredicateNumber {
    /// The sum; 0 without values: `@sum`.
    public var sum: QueryExpression<Value.Wide> { QueryExpression(.sum, fetchExpression) }

    /// The arithmetic mean; null without values: `@avg`.
    public var average: QueryExpression<Value.Mean> {
        QueryExpression(.average, fetchExpression)
    }

    /// The middle number, or the mean of the two middle numbers; null without values.
    public var median: QueryExpression<Value.Mean> { QueryExpression(.median, fetchExpression) }

    /// The population standard deviation; null without values: `stddev(…)`.
    public var standardDeviation: QueryExpression<Double> {
        QueryExpression(.stddev, fetchExpression)
    }
}
