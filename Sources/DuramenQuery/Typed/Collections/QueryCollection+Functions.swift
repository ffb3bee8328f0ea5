extension QueryCollection {
    /// The number of values: `tags.name.@count`.
    public var count: QueryExpression<Int> { QueryExpression(.count(of: fetchExpression)) }

    /// The smallest value; null of none: `@min`.
    public var min: QueryExpression<Value> { QueryExpression(.min, fetchExpression) }

    /// The greatest value; null of none: `@max`.
    public var max: QueryExpression<Value> { QueryExpression(.max, fetchExpression) }

    /// The most frequent values, ascending.
    public var mode: QueryCollection { QueryCollection(.mode, fetchExpression) }

    /// Each different value once, ascending: `@distinctUnionOfObjects`.
    public var distinct: QueryCollection { QueryCollection(.distinct, fetchExpression) }

    /// The values of both, each different one once, ascending: `UNION`.
    public func union(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.union, fetchExpression, other.fetchExpression)
    }

    /// The values that the other one has too, each different one once, ascending: `INTERSECT`.
    public func intersection(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.intersect, fetchExpression, other.fetchExpression)
    }

    /// The values that the other one has not, each different one once, ascending: `MINUS`.
    public func subtracting(_ other: QueryCollection) -> QueryCollection {
        QueryCollection(.minus, fetchExpression, other.fetchExpression)
    }

    /// The first of values that stand in an order, such as ``distinct`` ones; null of none: `[FIRST]`.
    public var first: QueryExpression<Value> { QueryExpression(.first, fetchExpression) }

    /// The last of values that stand in an order; null of none: `[LAST]`.
    public var last: QueryExpression<Value> { QueryExpression(.last, fetchExpression) }

    /// The value at a place, which counts from 0, of values that stand in an order; null beyond the end.
    public subscript(place: Int) -> QueryExpression<Value> {
        QueryExpression(.element, fetchExpression, .constant(place.storedValue))
    }

    /// The value at a place, which is calculated.
    public subscript(place: some PredicateOperand<Int>) -> QueryExpression<Value> {
        QueryExpression(.element, fetchExpression, place.fetchExpression)
    }
}

extension QueryCollection where Value: PredicateNumber {
    /// The sum; 0 of none: `@sum`.
    public var sum: QueryExpression<Value.Wide> { QueryExpression(.sum, fetchExpression) }

    /// The arithmetic mean; null of none: `@avg`.
    public var average: QueryExpression<Value.Mean> {
        QueryExpression(.average, fetchExpression)
    }

    /// The middle of the numbers, between two the mean of both; null of none.
    public var median: QueryExpression<Value.Mean> { QueryExpression(.median, fetchExpression) }

    /// The standard deviation of the numbers as a whole population; null of none: `stddev(…)`.
    public var standardDeviation: QueryExpression<Double> {
        QueryExpression(.stddev, fetchExpression)
    }
}
